"""Seeded draws against those of TensorFlow 2.21, recorded bit by bit."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

import tfcheck_runtime as tf
from tfcheck_runtime.ops.random.dropout import dropout, stateless_dropout
from tfcheck_runtime.ops.random.stateless import stateless_shuffle


def bits(tensor: Any) -> list[int]:
    """The bit pattern of each element; bfloat16 as that of the same float32."""
    array = tensor.numpy()
    if array.dtype.name == "bfloat16":
        array = array.astype(np.float32)
    flat: list[int] = array.reshape(-1).view(f"u{array.dtype.itemsize}").tolist()
    return flat


DRAWS = {
    ("uniform", "float16"): [15296, 15058, 15256, 12576, 12952, 14554, 14786],
    ("uniform", "bfloat16"): [
        1061158912,
        1062338560,
        1058537472,
        1049624576,
        1059454976,
        1062862848,
        1061289984,
    ],
    ("uniform", "float32"): [
        1040768768,
        1058102994,
        1056841520,
        1015687424,
        1057040806,
        1061137626,
        1040545544,
    ],
    ("uniform", "float64"): [
        4589658415974512272,
        4606918090960425288,
        4585397112488512928,
        4586313843082177984,
        4596929411766784888,
        4605660033800812144,
        4602526626387567952,
    ],
    ("normal", "float16"): [47779, 48974, 12290, 15541, 48302, 41158, 16111],
    ("normal", "bfloat16"): [
        3209953280,
        3219783680,
        1040187392,
        1066860544,
        3214278656,
        3155755008,
        1071513600,
    ],
    ("normal", "float32"): [
        3209978651,
        3219771115,
        1040200384,
        1066838068,
        3214260139,
        3155740103,
        1071507277,
    ],
    ("normal", "float64"): [
        13824674929932931855,
        4612297031199300666,
        4604322507792226041,
        4612773149132878924,
        13832942524781446209,
        4605863721100968354,
        13830587954280870624,
    ],
    ("scaled normal", "float16"): [47256, 49698, 16192, 17521, 48564, 15848, 17877],
    ("scaled normal", "bfloat16"): [
        3205496832,
        3225681920,
        1072168960,
        1083047936,
        3216506880,
        1069350912,
        1085997056,
    ],
    ("scaled normal", "float32"): [
        3205691332,
        3225698982,
        1072173020,
        1083058464,
        3216395052,
        1069351971,
        1085976720,
    ],
    ("scaled normal", "float64"): [
        4601615034781503580,
        4619768133786755912,
        4614402173674888796,
        4620363281203728735,
        13835791341876794705,
        4615365431992852741,
        13830638202219986736,
    ],
    ("truncated normal", "float16"): [
        47779,
        48974,
        12290,
        15541,
        46232,
        47914,
        47305,
        45139,
        46944,
    ],
    ("truncated normal", "bfloat16"): [
        3209953280,
        3219783680,
        1040187392,
        1066860544,
        3197304832,
        3211067392,
        3206086656,
        3188326400,
        3203137536,
    ],
    ("truncated normal", "float32"): [
        3209978651,
        3219771115,
        1040200384,
        1066838068,
        3197307700,
        3211086079,
        3206094532,
        3188351970,
        3203135750,
    ],
    ("truncated normal", "float64"): [
        13824674929932931855,
        4604322507792226041,
        4606373602416073006,
        4603717622556552435,
        4595281924039956372,
        13831903436960253023,
        13834278200228393256,
        13788431847064903677,
        4599015424778591029,
    ],
    ("stateless uniform", "float16"): [14424, 13192, 11200, 15142, 12440],
    ("stateless uniform", "bfloat16"): [1051721728, 1063387136, 1056440320, 1041760256, 1041760256],
    ("stateless uniform", "float32"): [1062736984, 1044686728, 1065289852, 1042562200, 1049313868],
    ("stateless uniform", "float64"): [
        4604952990652115426,
        4606910273233162022,
        4595506290538114600,
        4605881379892276860,
        4602812232652665694,
    ],
    ("stateless normal", "float16"): [14426, 12963, 11445, 10738, 48437],
    ("stateless normal", "bfloat16"): [1057685504, 1045692416, 1033306112, 1027473408, 3215392768],
    ("stateless normal", "float32"): [1057704653, 1045715841, 1033283812, 1027486248, 3215366783],
    ("stateless normal", "float64"): [
        13817667380461884307,
        4604846016580931118,
        13832666858564119687,
        4607847814177398330,
        13828049385878577753,
    ],
    ("stateless truncated normal", "float16"): [14426, 12963, 11445, 10738, 12642],
    ("stateless truncated normal", "bfloat16"): [
        1057685504,
        1045692416,
        1033306112,
        1027473408,
        1043070976,
    ],
    ("stateless truncated normal", "float32"): [
        1057704653,
        1045715841,
        1033283812,
        1027486248,
        1043086892,
    ],
    ("stateless truncated normal", "float64"): [
        13817667380461884307,
        4604846016580931118,
        13826522722986428841,
        13828162594725684397,
        13824220957742464836,
    ],
}

FLOAT_DRAWS = {
    "uniform": lambda d: tf.random.uniform([7], dtype=d),
    "normal": lambda d: tf.random.normal([7], dtype=d),
    "scaled normal": lambda d: tf.random.normal([7], 1.5, 2.5, dtype=d),
    "truncated normal": lambda d: tf.random.truncated_normal([9], dtype=d),
    "stateless uniform": lambda d: tf.random.stateless_uniform([5], [1, 2], dtype=d),
    "stateless normal": lambda d: tf.random.stateless_normal([5], [1, 2], dtype=d),
    "stateless truncated normal": lambda d: tf.random.stateless_truncated_normal(
        [5], [1, 2], dtype=d
    ),
}


@pytest.mark.parametrize(("kind", "dtype"), DRAWS)
def test_floats_equal_tensorflows_to_the_last_bit(kind: str, dtype: str) -> None:
    tf.random.set_seed(3)

    drawn = FLOAT_DRAWS[kind](dtype)

    assert bits(drawn) == DRAWS[kind, dtype]


def digest(tensor: Any) -> str:
    return hashlib.md5(tensor.numpy().tobytes()).hexdigest()


def test_a_hundred_thousand_normal_numbers_equal_tensorflows() -> None:
    tf.random.set_seed(9)

    digests = [
        digest(tf.random.normal([100003])),
        digest(tf.random.truncated_normal([100003])),
        digest(tf.random.uniform([100003])),
        digest(tf.random.normal([50001], dtype=tf.float64)),
        digest(tf.random.truncated_normal([5001], dtype=tf.float64)),
    ]

    assert digests == [
        "e98165684eb6ab676ecf120f4d7abb9d",
        "5b9c9f86dc2b9dca37f58dee8f87c7de",
        "7c9c55610e2299234981863218c4101d",
        "cdb81a3a4e23ff382bf80a6c34b698eb",
        "3b40557da0a1e0d0dfd3e85318b1a422",
    ]


def test_integers_equal_tensorflows() -> None:
    tf.random.set_seed(3)
    narrow = tf.random.uniform([7], 3, 1000, dtype=tf.int32)
    tf.random.set_seed(3)
    wide = tf.random.uniform([7], 3, 1000, dtype=tf.int64)
    bounded = tf.random.stateless_uniform([5], [1, -2], 3, 1000, dtype=tf.int32)
    full = tf.random.stateless_uniform([5], [1, -2], None, None, dtype=tf.uint64)

    assert narrow.numpy().tolist() == [655, 786, 828, 310, 119, 157, 677]
    assert wide.numpy().tolist() == [310, 284, 330, 620, 933, 525, 604]
    assert bounded.numpy().tolist() == [853, 796, 343, 395, 862]
    assert full.numpy().tolist() == [
        11124129794229253118,
        5413153324959265176,
        14445813779840809244,
        4518320714178534345,
        2663508213201163175,
    ]


def test_an_op_seed_continues_its_own_stream() -> None:
    tf.random.set_seed(4)

    first = tf.random.normal([3], seed=5)
    second = tf.random.normal([3], seed=5)
    other_op = tf.random.uniform([3], seed=5)

    assert bits(first) == [1064260441, 3175248764, 3223217150]
    assert bits(second) == [1052528249, 3178164743, 3195845647]
    assert bits(other_op) == [1059401540, 1048846956, 1027426656]


def test_shuffles_equal_tensorflows() -> None:
    tf.random.set_seed(4)

    vector = tf.random.shuffle(tf.range(11))
    rows = tf.random.shuffle(tf.range(12)[:, None])
    stateless = stateless_shuffle(tf.range(11), [1, 2])

    assert vector.numpy().tolist() == [6, 7, 5, 0, 8, 10, 1, 4, 2, 3, 9]
    assert rows.numpy().reshape(-1).tolist() == [7, 0, 1, 8, 6, 11, 9, 5, 10, 3, 4, 2]
    assert stateless.numpy().tolist() == [4, 10, 2, 6, 5, 3, 7, 9, 1, 8, 0]


def test_categories_equal_tensorflows() -> None:
    odds = [[1.0, 2.0, 3.0], [0.0, 0.0, -1.0]]
    tf.random.set_seed(4)

    drawn = tf.random.categorical(odds, 6)
    seeded = tf.random.categorical(odds, 5, dtype=tf.int32, seed=2)
    stateless = tf.random.stateless_categorical(odds, 6, [1, 2])

    assert drawn.numpy().tolist() == [[2, 2, 1, 1, 2, 2], [1, 1, 1, 0, 2, 1]]
    assert seeded.numpy().tolist() == [[2, 2, 1, 2, 1], [1, 0, 0, 2, 0]]
    assert stateless.numpy().tolist() == [[2, 2, 1, 2, 2, 2], [1, 0, 1, 1, 1, 0]]


def test_gamma_numbers_equal_tensorflows() -> None:
    tf.random.set_seed(4)

    single = tf.random.gamma([3], [1.0, 0.5, 2.5])
    double = tf.random.gamma([4], 2.0, beta=[1.0, 3.0], dtype=tf.float64, seed=1)
    stateless = tf.random.stateless_gamma([2, 3], [1, 2], [0.5, 1.0, 2.0], [2.0, 1.0, 3.0])

    assert bits(single) == [
        1064756815,
        1018799654,
        1083508167,
        1074798968,
        1058663974,
        1069352780,
        1050259620,
        1060849377,
        1084051440,
    ]
    assert bits(double) == [
        4612594373464910853,
        4609290113617128936,
        4612466739873687010,
        4593273633368582971,
        4608001739806762706,
        4603291727903254526,
        4608663275906568521,
        4599805047484250415,
    ]
    assert bits(stateless) == [
        1024007930,
        1074785095,
        1061225979,
        1050727434,
        1072848514,
        1056909461,
    ]


def test_poisson_numbers_equal_tensorflows() -> None:
    tf.random.set_seed(4)

    single = tf.random.poisson([3], [1.0, 4.5, 25.0])
    double = tf.random.poisson([4], 100.0, dtype=tf.float64, seed=1)
    stateless = tf.random.stateless_poisson([2, 3], [1, 2], [0.5, 20.0, 2.0], tf.float32)

    assert bits(single) == [
        1073741824,
        1084227584,
        1107296256,
        1065353216,
        1084227584,
        1105199104,
        0,
        1086324736,
        1096810496,
    ]
    assert bits(double) == [
        4636033603912859648,
        4635892866424504320,
        4636807660098813952,
        4637159503819702272,
    ]
    assert bits(stateless) == [
        1077936128,
        1104674816,
        1065353216,
        1073741824,
        1103626240,
        1086324736,
    ]


def test_derived_seeds_equal_tensorflows() -> None:
    split = tf.random.split([1, 2], 3)
    folded = tf.random.fold_in([1, 2], 3)

    assert bits(split) == [1105988140, 1738052849, 3959391294, 370444179, 10670227, 4048756165]
    assert bits(folded) == [1105988140, 3]


def test_dropout_draws_tensorflows_masks() -> None:
    tf.random.set_seed(7)

    plain = dropout(tf.ones([5]), 0.4)
    by_rows = dropout(tf.ones([5, 2]), 0.4, noise_shape=[5, None], seed=2)
    stateless = stateless_dropout(tf.ones([5]), 0.4, [1, 2])

    assert bits(plain) == [1070945621, 0, 1070945621, 0, 1070945621]
    assert by_rows.shape == (5, 2)
    assert bits(stateless) == [1070945621, 0, 1070945621, 0, 0]


def test_dropout_of_rate_zero_is_the_tensor_itself() -> None:
    x = tf.ones([3])

    assert dropout(x, 0.0) is x


@pytest.mark.parametrize("rate", [1.0, -0.1, 2])
def test_dropout_refuses_rates_outside_its_range(rate: float) -> None:
    with pytest.raises(ValueError, match="`rate` must be") as error:
        dropout(tf.ones([3]), rate)

    assert str(error.value) == (
        f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
    )
