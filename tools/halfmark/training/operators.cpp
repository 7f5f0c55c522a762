// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/training/operators.hpp"

#include <algorithm>
#include <array>

namespace halfmark::tools {
namespace {

using enum ShapeRule;
using enum Keeps;

constexpr std::array kRows = {
    OperatorRow{"linear", "MatMul", "gemm", "", kLinear},
    OperatorRow{"matmul", "BatchMatMulV2", "gemm", "", kProduct},
    OperatorRow{"bmm", "BatchMatMul", "gemm", "", kProduct},
    OperatorRow{"mm", "", "gemm", "", kProduct},
    OperatorRow{"einsum", "Einsum", "gemm", ""},
    OperatorRow{"addbmm", "", "gemm", ""},
    OperatorRow{"addmm", "", "gemm", ""},
    OperatorRow{"addmv", "", "gemm", ""},
    OperatorRow{"addr", "", "gemm", ""},
    OperatorRow{"baddbmm", "", "gemm", ""},
    OperatorRow{"chain_matmul", "", "gemm", ""},
    OperatorRow{"multi_dot", "", "gemm", ""},
    OperatorRow{"linalg_multi_dot", "", "gemm", ""},
    OperatorRow{"linalg_vecdot", "", "gemm", ""},
    OperatorRow{"mv", "", "gemm", ""},
    OperatorRow{"dot", "", "gemm", ""},
    OperatorRow{"tensordot", "", "gemm", ""},

    OperatorRow{"softmax", "Softmax", "softmax", "forward", kSame, kResult},
    OperatorRow{"log_softmax", "LogSoftmax", "softmax", "log-forward", kSame, kResult},
    OperatorRow{"layer_norm", "", "layernorm", "forward", kNormalise},
    OperatorRow{"rms_norm", "", "layernorm", "rms-forward", kNormalise},
    OperatorRow{"cross_entropy", "SparseSoftmaxCrossEntropyWithLogits", "cross_entropy", "forward",
                kLoss},
    OperatorRow{"mse_loss", "", "loss", "mse", kLoss},
    OperatorRow{"sum", "Sum", "reduction", "sum", kReduce, kNothing},
    OperatorRow{"mean", "Mean", "reduction", "mean", kReduce, kNothing},
    OperatorRow{"amax", "Max", "reduction", "max", kReduce},

    OperatorRow{"gelu", "", "activation", "gelu", kSame},
    OperatorRow{"gelu_tanh", "", "activation", "gelu_tanh", kSame},
    OperatorRow{"relu", "Relu", "activation", "relu", kSame, kResult},
    OperatorRow{"maximum", "Maximum", "activation", "max", kElementwise},

    OperatorRow{"add", "AddV2", "arithmetic", "add", kElementwise, kNothing},
    OperatorRow{"sub", "Sub", "arithmetic", "sub", kElementwise, kNothing},
    OperatorRow{"mul", "Mul", "arithmetic", "mul", kElementwise},
    OperatorRow{"div", "RealDiv", "arithmetic", "div", kElementwise},
    OperatorRow{"sqrt", "Sqrt", "arithmetic", "sqrt", kSame, kResult},
    OperatorRow{"round", "Round", "arithmetic", "rint", kSame, kNothing},
    OperatorRow{"ldexp", "", "arithmetic", "ldexp", kElementwise},
    OperatorRow{"lt", "Less", "arithmetic", "lt", kElementwise, kNothing},
    OperatorRow{"eq", "Equal", "arithmetic", "eq", kElementwise, kNothing},
    OperatorRow{"to", "Cast", "convert", "", kSame, kNothing},

    OperatorRow{"acos", "Acos", "elementary", "acos", kSame},
    OperatorRow{"asin", "Asin", "elementary", "asin", kSame},
    OperatorRow{"atan", "Atan", "elementary", "atan", kSame},
    OperatorRow{"atan2", "Atan2", "elementary", "atan2", kElementwise},
    OperatorRow{"cos", "Cos", "elementary", "cos", kSame},
    OperatorRow{"cosh", "Cosh", "elementary", "cosh", kSame},
    OperatorRow{"erf", "Erf", "elementary", "erf", kSame},
    OperatorRow{"erfc", "Erfc", "elementary", "erfc", kSame},
    OperatorRow{"exp", "Exp", "elementary", "exp", kSame, kResult},
    OperatorRow{"exp2", "", "elementary", "exp2", kSame, kResult},
    OperatorRow{"expm1", "Expm1", "elementary", "expm1", kSame, kResult},
    OperatorRow{"fmod", "", "elementary", "fmod", kElementwise},
    OperatorRow{"hypot", "", "elementary", "hypot", kElementwise},
    OperatorRow{"log", "Log", "elementary", "log", kSame},
    OperatorRow{"log10", "", "elementary", "log10", kSame},
    OperatorRow{"log1p", "Log1p", "elementary", "log1p", kSame},
    OperatorRow{"log2", "", "elementary", "log2", kSame},
    OperatorRow{"pow", "Pow", "elementary", "pow", kElementwise},
    OperatorRow{"reciprocal", "Reciprocal", "elementary", "recip", kSame, kResult},
    OperatorRow{"rsqrt", "Rsqrt", "elementary", "rsqrt", kSame, kResult},
    OperatorRow{"sin", "Sin", "elementary", "sin", kSame},
    OperatorRow{"sinh", "Sinh", "elementary", "sinh", kSame},
    OperatorRow{"tan", "Tan", "elementary", "tan", kSame, kResult},
    OperatorRow{"tanh", "Tanh", "elementary", "tanh", kSame, kResult},

    OperatorRow{"conv2d", "Conv2D", "", "", kConvolution2d},
    OperatorRow{"embedding", "GatherV2", "", "", kEmbedding, kNothing},
    OperatorRow{"batch_norm", "FusedBatchNormV3", "", "", kNormaliseChannels},
    OperatorRow{"group_norm", "", "", "", kNormaliseChannels},
    OperatorRow{"scaled_dot_product_attention", "", "", "", kAttention},
    OperatorRow{"dropout", "", "dropout", "", kSame, kMask},
    OperatorRow{"sigmoid", "Sigmoid", "", "", kSame, kResult},
    OperatorRow{"silu", "", "", "", kSame},
    OperatorRow{"softplus", "Softplus", "", "", kSame},
    OperatorRow{"flatten", "Reshape", "", "", kFlatten, kNothing},
    OperatorRow{"l1_loss", "", "", "", kLoss},
    OperatorRow{"smooth_l1_loss", "", "", "", kLoss},
    OperatorRow{"nll_loss", "", "", "", kLoss},
    OperatorRow{"binary_cross_entropy", "", "", "", kLoss},
    OperatorRow{"binary_cross_entropy_with_logits", "", "", "", kLoss},
};

}  // namespace

std::span<const OperatorRow> operator_rows() { return kRows; }

const OperatorRow* find_operator(std::string_view name) {
  if (name.empty()) return nullptr;
  const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const OperatorRow& row) {
    return row.name == name || row.tensorflow == name;
  });
  return found == kRows.end() ? nullptr : &*found;
}

bool is_known_operator(std::string_view name) {
  const auto profiles = cast_profiles();
  return find_operator(name) != nullptr ||
         std::any_of(profiles.begin(), profiles.end(),
                     [&](const CastProfile& profile) { return is_listed(profile, name); });
}

Cast cast_in(const CastProfile& profile, std::string_view name) {
  const OperatorRow* row = find_operator(name);
  if (row == nullptr) return cast_of(profile, name);
  return cast_of(profile, profile.framework == "tensorflow" ? row->tensorflow : row->name);
}

}  // namespace halfmark::tools
