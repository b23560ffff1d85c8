"""`tf.image`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.ops.image.adjusting import (
    adjust_brightness as adjust_brightness,
    adjust_contrast as adjust_contrast,
    adjust_gamma as adjust_gamma,
    adjust_hue as adjust_hue,
    adjust_saturation as adjust_saturation,
    per_image_standardization as per_image_standardization,
    random_brightness as random_brightness,
    random_contrast as random_contrast,
    random_hue as random_hue,
    random_saturation as random_saturation,
    stateless_random_brightness as stateless_random_brightness,
    stateless_random_contrast as stateless_random_contrast,
    stateless_random_hue as stateless_random_hue,
    stateless_random_saturation as stateless_random_saturation,
)
from tfcheck_runtime.ops.image.boxes import (
    crop_and_resize as crop_and_resize,
    draw_bounding_boxes as draw_bounding_boxes,
)
from tfcheck_runtime.ops.image.colors import (
    convert_image_dtype as convert_image_dtype,
    grayscale_to_rgb as grayscale_to_rgb,
    hsv_to_rgb as hsv_to_rgb,
    rgb_to_grayscale as rgb_to_grayscale,
    rgb_to_hsv as rgb_to_hsv,
    rgb_to_yiq as rgb_to_yiq,
    rgb_to_yuv as rgb_to_yuv,
    yiq_to_rgb as yiq_to_rgb,
    yuv_to_rgb as yuv_to_rgb,
)
from tfcheck_runtime.ops.image.cropping import (
    central_crop as central_crop,
    crop_to_bounding_box as crop_to_bounding_box,
    pad_to_bounding_box as pad_to_bounding_box,
    resize_with_crop_or_pad as resize_with_crop_or_pad,
)
from tfcheck_runtime.ops.image.patches import (
    extract_patches as extract_patches,
)
from tfcheck_runtime.ops.image.quality import (
    image_gradients as image_gradients,
    psnr as psnr,
    sobel_edges as sobel_edges,
    ssim as ssim,
    total_variation as total_variation,
)
from tfcheck_runtime.ops.image.random_parts import (
    random_crop as random_crop,
    random_flip_left_right as random_flip_left_right,
    random_flip_up_down as random_flip_up_down,
    stateless_random_crop as stateless_random_crop,
    stateless_random_flip_left_right as stateless_random_flip_left_right,
    stateless_random_flip_up_down as stateless_random_flip_up_down,
)
from tfcheck_runtime.ops.image.resizing import (
    ResizeMethod as ResizeMethod,
    resize as resize,
    resize_with_pad as resize_with_pad,
)
from tfcheck_runtime.ops.image.suppression import (
    combined_non_max_suppression as combined_non_max_suppression,
    non_max_suppression as non_max_suppression,
    non_max_suppression_overlaps as non_max_suppression_overlaps,
    non_max_suppression_padded as non_max_suppression_padded,
    non_max_suppression_with_scores as non_max_suppression_with_scores,
)
from tfcheck_runtime.ops.image.turning import (
    flip_left_right as flip_left_right,
    flip_up_down as flip_up_down,
    rot90 as rot90,
    transpose as transpose,
)

__getattr__ = _lacking("tf.image", globals())
