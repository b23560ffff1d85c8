"""`tf.linalg`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.aware import make_aware as _make_aware
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.array.hot import (
    eye as eye,
)
from tfcheck_runtime.ops.linalg.decomposing import (
    cholesky as cholesky,
    qr as qr,
)
from tfcheck_runtime.ops.linalg.diagonals import (
    band_part as band_part,
    diag as diag,
    diag_part as diag_part,
    set_diag as set_diag,
    tensor_diag as tensor_diag,
    tensor_diag_part as tensor_diag_part,
    trace as trace,
)
from tfcheck_runtime.ops.linalg.einsum import (
    einsum as einsum,
)
from tfcheck_runtime.ops.linalg.factoring import (
    lu as lu,
    lu_matrix_inverse as lu_matrix_inverse,
    lu_reconstruct as lu_reconstruct,
    lu_solve as lu_solve,
)
from tfcheck_runtime.ops.linalg.functions import (
    expm as expm,
    logm as logm,
    sqrtm as sqrtm,
)
from tfcheck_runtime.ops.linalg.general import (
    eig as eig,
    eigvals as eigvals,
)
from tfcheck_runtime.ops.linalg.inverting import (
    det as det,
    inv as inv,
    logdet as logdet,
    slogdet as slogdet,
)
from tfcheck_runtime.ops.linalg.matmul import (
    matmul as matmul,
    matvec as matvec,
)
from tfcheck_runtime.ops.linalg.norms import (
    norm as norm,
    normalize as normalize,
)
from tfcheck_runtime.ops.linalg.products import (
    cross as cross,
    tensordot as tensordot,
)
from tfcheck_runtime.ops.linalg.pseudo_inverse import (
    matrix_rank as matrix_rank,
    pinv as pinv,
)
from tfcheck_runtime.ops.linalg.solving import (
    cholesky_solve as cholesky_solve,
    lstsq as lstsq,
    solve as solve,
)
from tfcheck_runtime.ops.linalg.spectral import (
    eigh as eigh,
    eigvalsh as eigvalsh,
    svd as svd,
)
from tfcheck_runtime.ops.linalg.transposing import (
    adjoint as adjoint,
    matrix_transpose as matrix_transpose,
)
from tfcheck_runtime.ops.linalg.triangular import (
    triangular_solve as triangular_solve,
)
from tfcheck_runtime.ops.linalg.tridiagonal import (
    tridiagonal_matmul as tridiagonal_matmul,
    tridiagonal_solve as tridiagonal_solve,
)
from tfcheck_runtime.ops.math.norms import (
    global_norm as global_norm,
)
from tfcheck_runtime.ops.nn.normalization import (
    l2_normalize as l2_normalize,
)

_make_aware(globals())
__getattr__ = _lacking("tf.linalg", globals())
