"""`tf.signal`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.signal.fourier import (
    fft as fft,
    fft2d as fft2d,
    fft3d as fft3d,
    fftshift as fftshift,
    ifft as ifft,
    ifft2d as ifft2d,
    ifft3d as ifft3d,
    ifftshift as ifftshift,
    irfft as irfft,
    irfft2d as irfft2d,
    rfft as rfft,
    rfft2d as rfft2d,
)
from tfcheck_runtime.ops.signal.framing import (
    frame as frame,
    hamming_window as hamming_window,
    hann_window as hann_window,
    inverse_stft as inverse_stft,
    inverse_stft_window_fn as inverse_stft_window_fn,
    overlap_and_add as overlap_and_add,
    stft as stft,
)
from tfcheck_runtime.ops.signal.spectra import (
    dct as dct,
    idct as idct,
    linear_to_mel_weight_matrix as linear_to_mel_weight_matrix,
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
)

__getattr__ = _lacking("tf.signal", globals())
