"""Small modules, one or a few operators each, that must come out int8 from input to output."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import hard_inputs
from formula_modules import FORMULAS, RESAMPLED
from number_modules import NUMBERS
from quantized_modules import Call, Case, With, image, trained_norm

SEQUENCE = image(2, 4, 20)
PICTURE = image(1, 6, 5, 6)
VOLUME = image(1, 4, 5, 6, 7)

CONVOLUTIONS: dict[str, Case] = {
    "conv1d": (
        lambda: nn.Sequential(nn.Conv1d(4, 8, 5, padding=2), nn.ReLU(), nn.Conv1d(8, 3, 3, 2)),
        (SEQUENCE,),
    ),
    "conv1d-depthwise-lopsided": (
        lambda: nn.Conv1d(4, 8, 4, groups=4, padding="same"),
        (SEQUENCE,),
    ),
    "conv1d-unbatched": (lambda: nn.Conv1d(4, 6, 3, dilation=2), (SEQUENCE[0],)),
    "conv-transpose1d": (
        lambda: nn.ConvTranspose1d(4, 3, 3, stride=2, output_padding=1),
        (SEQUENCE,),
    ),
    "conv-transpose1d-unbatched": (lambda: nn.ConvTranspose1d(4, 4, 3, groups=2), (SEQUENCE[0],)),
    "conv-transpose2d": (
        lambda: nn.Sequential(
            nn.ConvTranspose2d(6, 4, 3, 2, 1, output_padding=1), nn.BatchNorm2d(4), nn.ReLU()
        ),
        (PICTURE,),
    ),
    "conv-transpose2d-groups": (
        lambda: nn.ConvTranspose2d(6, 4, 3, stride=(2, 1), groups=2, dilation=(1, 3)),
        (PICTURE,),
    ),
    "conv-transpose2d-pointwise": (lambda: nn.ConvTranspose2d(6, 4, 1, stride=2), (PICTURE,)),
    "conv-transpose2d-unbatched": (lambda: nn.ConvTranspose2d(6, 4, 3), (PICTURE[0],)),
    "conv3d": (
        lambda: nn.Sequential(nn.Conv3d(4, 4, 3), nn.BatchNorm3d(4), nn.ReLU(), nn.Conv3d(4, 2, 1)),
        (VOLUME,),
    ),
    "conv3d-groups": (
        lambda: nn.Conv3d(4, 6, (3, 2, 3), (2, 1, 2), (1, 0, 2), (2, 1, 1), groups=2),
        (VOLUME,),
    ),
    "conv3d-unbatched-same": (lambda: nn.Conv3d(4, 4, 3, padding="same"), (VOLUME[0],)),
    "conv-transpose3d": (lambda: nn.ConvTranspose3d(4, 3, 3, stride=2), (VOLUME,)),
    "conv-transpose3d-groups": (
        lambda: nn.ConvTranspose3d(
            4, 4, (3, 2, 3), (2, 1, 3), (1, 0, 1), (1, 0, 0), groups=2, dilation=(1, 2, 1)
        ),
        (VOLUME,),
    ),
    "conv-transpose3d-stride-beyond-kernel": (
        lambda: nn.ConvTranspose3d(4, 3, 1, stride=(3, 1, 2)),
        (VOLUME,),
    ),
}

POOLS: dict[str, Case] = {
    "max-pool3d": (lambda: nn.MaxPool3d(3, 2, 1), (VOLUME,)),
    "max-pool3d-dilated": (lambda: nn.MaxPool3d(2, 1, 0, (2, 1, 3), ceil_mode=True), (VOLUME,)),
    "avg-pool3d": (lambda: nn.AvgPool3d((2, 3, 2), 2, 1, count_include_pad=False), (VOLUME,)),
    "adaptive-avg-pool1d": (lambda: nn.AdaptiveAvgPool1d(6), (SEQUENCE,)),
    "adaptive-avg-pool1d-even": (lambda: nn.AdaptiveAvgPool1d(5), (SEQUENCE,)),
    "adaptive-avg-pool2d": (lambda: nn.AdaptiveAvgPool2d((3, 4)), (PICTURE,)),
    "adaptive-avg-pool3d": (lambda: nn.AdaptiveAvgPool3d((2, 3, 5)), (VOLUME,)),
    "adaptive-max-pool1d": (lambda: nn.AdaptiveMaxPool1d(6), (SEQUENCE,)),
    "adaptive-max-pool2d": (lambda: nn.AdaptiveMaxPool2d((5, 4)), (PICTURE,)),
    "adaptive-max-pool3d": (lambda: nn.AdaptiveMaxPool3d((2, 3, 5)), (VOLUME,)),
    "upsample-bilinear": (lambda: nn.UpsamplingBilinear2d(scale_factor=2), (PICTURE,)),
    "upsample-bilinear-size": (lambda: nn.Upsample(size=(4, 9), mode="bilinear"), (PICTURE,)),
}

FUNCTIONS: dict[str, Case] = {
    "amax": (lambda: Call(lambda x: torch.amax(x, (0, 1, 3))), (PICTURE,)),
    "amin": (lambda: Call(lambda x: torch.amin(x, -1, keepdim=True)), (PICTURE,)),
    "max": (lambda: Call(lambda x: x.max()), (PICTURE,)),
    "max-values": (lambda: Call(lambda x: x.max(2).values), (PICTURE,)),
    "expand": (lambda: Call(lambda x: (x + x)[:, :1].expand(3, 40, 5, 6)), (PICTURE,)),
    "flip": (lambda: Call(lambda x: torch.flip(x + x, (1, 3))), (PICTURE,)),
    "glu": (lambda: Call(lambda x: F.glu(x, 1)), (PICTURE,)),
    "pad-circular": (lambda: nn.CircularPad2d((1, 2, 3, 0)), (PICTURE,)),
    "pad-reflect": (lambda: nn.Conv2d(6, 4, 3, padding=1, padding_mode="reflect"), (PICTURE,)),
    "pad-replicate": (lambda: nn.ReplicationPad2d((1, 2, 3, 0)), (PICTURE,)),
    "prelu": (lambda: nn.PReLU(6), (PICTURE,)),
    "stack": (lambda: Call(lambda x: torch.stack([x, x + x], 2)), (PICTURE,)),
}

REDUCTIONS: dict[str, Case] = {
    "mean-channels": (lambda: Call(lambda x: x.mean(1, keepdim=True)), (PICTURE,)),
    "mean-batch-and-height": (lambda: Call(lambda x: x.mean((0, 2))), (PICTURE,)),
    "mean-square": (lambda: Call(lambda x: x.square().mean()), (PICTURE,)),
    "sum": (lambda: Call(lambda x: x.abs().sum()), (PICTURE,)),
    "sum-last": (lambda: Call(lambda x: x.sum(-1)), (PICTURE,)),
    "sum-apart": (lambda: Call(lambda x: x.sum((1, -1), keepdim=True)), (PICTURE,)),
    "sum-plane": (
        lambda: With(lambda s, x: s.conv(x).sum((2, 3)), conv=nn.Conv2d(6, 4, 3)),
        (PICTURE,),
    ),
    "var": (lambda: Call(lambda x: x.var((2, 3), unbiased=False)), (PICTURE,)),
    "std": (lambda: Call(lambda x: x.std(1)), (PICTURE,)),
    "cumsum": (lambda: Call(lambda x: x.cumsum(2)), (PICTURE,)),
}


def scaled(norm: nn.Module) -> nn.Module:
    """With weights and biases that matter."""
    with torch.no_grad():
        for parameter in norm.parameters():
            parameter.add_(torch.linspace(-0.5, 1, parameter.numel()).view_as(parameter))
    return norm


NORMS: dict[str, Case] = {
    "layer-norm": (lambda: scaled(nn.LayerNorm(20)), (SEQUENCE,)),
    "layer-norm-plane": (lambda: nn.LayerNorm((5, 6), eps=0.1), (PICTURE * 0.1 + 1,)),
    "rms-norm": (lambda: scaled(nn.RMSNorm(20)), (SEQUENCE + 1,)),
    "group-norm": (
        lambda: nn.Sequential(nn.Conv2d(6, 6, 3), scaled(nn.GroupNorm(3, 6)), nn.ReLU()),
        (PICTURE,),
    ),
    "group-norm-rows": (lambda: scaled(nn.GroupNorm(2, 8)), (image(3, 8),)),
    "instance-norm1d": (lambda: scaled(nn.InstanceNorm1d(4, affine=True)), (SEQUENCE[0],)),
    "instance-norm2d": (lambda: nn.InstanceNorm2d(6), (PICTURE,)),
    "instance-norm3d": (lambda: nn.InstanceNorm3d(4), (VOLUME,)),
    "instance-norm-tracked": (
        lambda: trained_norm(nn.InstanceNorm2d(6, affine=True, track_running_stats=True)),
        (PICTURE,),
    ),
}

STEPS = image(6, 2, 8)

RECURRENT: dict[str, Case] = {
    "lstm": (lambda: nn.LSTM(8, 5), (STEPS,)),
    "lstm-deep-both-ways": (
        lambda: With(
            lambda s, x: s.lstm(x)[0],
            lstm=nn.LSTM(8, 5, 2, bidirectional=True, batch_first=True, dropout=0.2),
        ),
        (STEPS,),
    ),
    "lstm-states": (lambda: nn.LSTM(8, 5, 2), (STEPS, (image(2, 2, 5), image(2, 2, 5) * 2))),
    "lstm-unbatched": (lambda: nn.LSTM(8, 5, bias=False), (STEPS[:, 0],)),
    "lstm-long": (
        lambda: With(lambda s, x: s.lstm(x)[0], lstm=nn.LSTM(8, 5)),
        (image(200, 1, 8),),
    ),
    "lstm-cell": (lambda: nn.LSTMCell(8, 5), (STEPS[0], (image(2, 5), image(2, 5)))),
    "gru-both-ways": (lambda: nn.GRU(8, 5, bidirectional=True), (STEPS, image(2, 2, 5))),
    "gru-cell": (lambda: nn.GRUCell(8, 5), (STEPS[0],)),
    "rnn": (lambda: nn.RNN(8, 5, 2), (STEPS,)),
    "rnn-relu": (lambda: nn.RNN(8, 5, nonlinearity="relu"), (STEPS, image(1, 2, 5))),
}

LEFT, RIGHT = image(2, 3, 4, 8), image(2, 3, 8, 5)

PRODUCTS: dict[str, Case] = {
    "bmm": (lambda: Call(torch.bmm), (LEFT[0], RIGHT[0])),
    "bmm-constant": (lambda: With(lambda s, x: torch.bmm(x, s.b), b=RIGHT[0]), (LEFT[0],)),
    "mm-transposed": (lambda: Call(lambda a, b: a @ b.T), (LEFT[0, 0], RIGHT[0, 0].T.contiguous())),
    "matmul": (lambda: Call(torch.matmul), (LEFT, RIGHT)),
    "matmul-one-left": (lambda: Call(torch.matmul), (LEFT[0, 0], RIGHT)),
    "matmul-one-right": (lambda: Call(torch.matmul), (LEFT, RIGHT[:1, 0])),
    "matmul-cross": (lambda: Call(torch.matmul), (LEFT[:, :1], RIGHT[:1])),
    "matmul-vectors": (lambda: Call(lambda a, b: a @ b + b @ b), (LEFT, LEFT[0, 0, 0])),
    "linear-computed-weight": (
        lambda: Call(F.linear),
        (LEFT, RIGHT[0, 0].T.contiguous(), image(5)),
    ),
    "addmm": (
        lambda: Call(lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2.0)),
        (image(4, 5), LEFT[0, 0], RIGHT[0, 0]),
    ),
    "baddbmm": (lambda: Call(torch.baddbmm), (image(3, 4, 5), LEFT[0], RIGHT[0])),
    "einsum": (lambda: Call(lambda a, b: torch.einsum("bhik,bhkj->bijh", a, b)), (LEFT, RIGHT)),
}

TOKENS, HEADS = image(1, 5, 8), image(1, 4, 5, 8)
LATER = torch.ones(5, 5, dtype=torch.bool).triu(1)
MISSING = torch.tensor([[False, False, True, False, True]])


def attention(x: Tensor, **options: object) -> Tensor:
    return F.scaled_dot_product_attention(x, x * 2, x.flip(1), **options)  # type: ignore[arg-type]


def heads(**options: object) -> nn.MultiheadAttention:
    return nn.MultiheadAttention(8, 2, batch_first=True, **options)  # type: ignore[arg-type]


ATTENTION: dict[str, Case] = {
    "attention": (lambda: Call(attention), (HEADS,)),
    "attention-causal": (lambda: Call(lambda x: attention(x, is_causal=True)), (HEADS,)),
    "attention-bool-mask": (lambda: Call(lambda x, m: attention(x, attn_mask=~m)), (HEADS, LATER)),
    "attention-float-mask": (
        lambda: With(
            lambda s, x: attention(x, attn_mask=s.m),
            m=torch.linspace(-1, 1, 25).view(5, 5).masked_fill(LATER, -torch.inf),
        ),
        (HEADS,),
    ),
    "attention-grouped-queries": (
        lambda: Call(
            lambda x: F.scaled_dot_product_attention(x, x[:, :2], x[:, 2:], enable_gqa=True)
        ),
        (HEADS,),
    ),
    "multihead-weights": (lambda: With(lambda s, x: s.m(x, x, x), m=heads()), (TOKENS,)),
    "multihead-other-keys": (
        lambda: With(lambda s, x, y: s.m(x, y, y)[0], m=heads(kdim=6, vdim=6)),
        (TOKENS, image(1, 7, 6)),
    ),
    "multihead-zero-and-bias-keys": (
        lambda: With(
            lambda s, x: s.m(x, x, x, need_weights=False)[0],
            m=heads(add_zero_attn=True, add_bias_kv=True),
        ),
        (TOKENS,),
    ),
    "multihead-masks": (
        lambda: With(
            lambda s, x, k: s.m(x, x, x, key_padding_mask=k, attn_mask=s.later, need_weights=False)[
                0
            ],
            m=heads(),
            later=LATER,
        ),
        (TOKENS, MISSING),
    ),
    "multihead-key-mask": (
        lambda: With(lambda s, x, k: s.m(x, x, x, key_padding_mask=k), m=heads()),
        (TOKENS, MISSING),
    ),
    "masked-softmax-by-where": (
        lambda: Call(lambda x, m: torch.softmax(torch.where(m, x, torch.tensor(-1e9)), -1)),
        (image(5, 5), ~LATER),
    ),
}

MODULES: dict[str, Case] = {
    **CONVOLUTIONS,
    **POOLS,
    **FUNCTIONS,
    **REDUCTIONS,
    **NORMS,
    **NUMBERS,
    **RECURRENT,
    **FORMULAS,
    **RESAMPLED,
    **PRODUCTS,
    **ATTENTION,
    **hard_inputs.MODULES,
}
