// SPDX-License-Identifier: Apache-2.0
// The lists themselves. Where an operator of a framework only calls others on its list, it stands
// where its documents put it.
#include <array>

#include "tools/halfmark/training/policy.hpp"

namespace halfmark::tools {
namespace {

using enum Cast;
using Names = std::string_view[];

constexpr std::string_view kFp16First[] = {"fp16", "bf16"};
constexpr std::string_view kBf16First[] = {"bf16", "fp16"};
constexpr std::string_view kFp16Only[] = {"fp16"};
constexpr std::string_view kBf16Only[] = {"bf16"};

// clang-format off
constexpr Names kTorchGpuNarrow = {
    "_convolution", "convolution", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "prelu", "addmm", "addmv", "addr", "matmul", "einsum",
    "mm", "mv", "linalg_vecdot", "linear", "addbmm", "baddbmm", "bmm", "chain_matmul",
    "linalg_multi_dot", "multi_dot", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell",
    "scaled_dot_product_attention", "_scaled_dot_product_flash_attention", "_thnn_fused_lstm_cell",
    "_thnn_fused_gru_cell", "cudnn_convolution", "cudnn_convolution_transpose"};
// Recent versions list rms_norm, older ones let it run as its operands are. cross_entropy stands here
// by its documents; of 16-bit logits its log-softmax has a 16-bit result, which is then widened.
constexpr Names kTorchGpuWide = {
    "acos", "asin", "cosh", "cross_entropy", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p",
    "reciprocal", "rsqrt", "sinh", "tan", "pow", "softplus", "layer_norm", "native_layer_norm",
    "rms_norm", "group_norm", "frobenius_norm", "nuclear_norm", "cosine_similarity",
    "poisson_nll_loss", "cosine_embedding_loss", "nll_loss", "nll_loss2d", "hinge_embedding_loss",
    "kl_div", "l1_loss", "smooth_l1_loss", "huber_loss", "mse_loss", "margin_ranking_loss",
    "multilabel_margin_loss", "soft_margin_loss", "triplet_margin_loss", "multi_margin_loss",
    "binary_cross_entropy_with_logits", "dist", "pdist", "cdist", "renorm", "logsumexp",
    "normalize", "upsample_nearest1d", "_upsample_nearest_exact1d", "upsample_nearest2d",
    "_upsample_nearest_exact2d", "upsample_nearest3d", "_upsample_nearest_exact3d",
    "upsample_linear1d", "upsample_bilinear2d", "_upsample_bilinear2d_aa", "upsample_trilinear3d",
    "upsample_bicubic2d", "_upsample_bicubic2d_aa"};
// softmin begins with a softmax.
constexpr Names kTorchGpuWideResult = {
    "prod", "softmax", "log_softmax", "cumprod", "cumsum", "linalg_vector_norm",
    "linalg_matrix_norm", "sum", "norm", "softmin"};
constexpr Names kTorchGpuWidest = {
    "addcdiv", "addcmul", "atan2", "bilinear", "cross", "dot", "vdot", "grid_sample",
    "grid_sampler", "index_put", "tensordot", "scatter_add"};
constexpr Names kTorchGpuRefused = {
    "binary_cross_entropy"};

// einsum, tensordot and products of several matrices call those that are registered.
constexpr Names kTorchCpuNarrow = {
    "conv1d", "conv2d", "conv3d", "bmm", "mm", "linalg_vecdot", "baddbmm", "addmm",
    "_addmm_activation", "addbmm", "linear", "_convolution",
    "matmul", "conv_tbc", "mkldnn_rnn_layer", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "prelu", "scaled_dot_product_attention", "_native_multi_head_attention",
    "einsum", "tensordot", "chain_matmul", "linalg_multi_dot", "multi_dot"};
constexpr Names kTorchCpuWide = {
    "avg_pool3d", "binary_cross_entropy", "grid_sampler", "polar", "prod", "quantile",
    "nanquantile", "stft", "cdist", "grid_sampler_2d", "_grid_sampler_2d_cpu_fallback",
    "grid_sampler_3d", "trace", "view_as_complex", "cholesky", "cholesky_inverse",
    "cholesky_solve", "inverse", "lu_solve", "orgqr", "ormqr", "pinverse", "max_pool3d",
    "max_unpool2d", "max_unpool3d", "adaptive_avg_pool3d", "reflection_pad1d", "reflection_pad2d",
    "replication_pad1d", "replication_pad2d", "replication_pad3d", "mse_loss",
    "cosine_embedding_loss", "nll_loss", "nll_loss2d", "hinge_embedding_loss", "poisson_nll_loss",
    "smooth_l1_loss", "cross_entropy", "cross_entropy_loss", "l1_loss", "huber_loss",
    "margin_ranking_loss", "soft_margin_loss", "triplet_margin_loss", "multi_margin_loss",
    "ctc_loss", "kl_div", "multilabel_margin_loss", "binary_cross_entropy_with_logits", "fft_fft",
    "fft_ifft", "fft_fft2", "fft_ifft2", "fft_fftn", "fft_ifftn", "fft_rfft", "fft_irfft",
    "fft_rfft2", "fft_irfft2", "fft_rfftn", "fft_irfftn", "fft_hfft", "fft_ihfft", "linalg_cond",
    "linalg_matrix_rank", "linalg_solve", "linalg_cholesky", "linalg_svdvals", "linalg_eigvals",
    "linalg_eigvalsh", "linalg_inv", "linalg_householder_product", "linalg_tensorinv",
    "linalg_tensorsolve", "fake_quantize_per_tensor_affine", "geqrf", "_lu_with_info", "qr",
    "svd", "triangular_solve", "fractional_max_pool2d", "fractional_max_pool3d",
    "adaptive_max_pool3d", "multilabel_margin_loss_forward", "linalg_qr", "linalg_cholesky_ex",
    "linalg_svd", "linalg_eig", "linalg_eigh", "linalg_lstsq", "linalg_inv_ex"};
constexpr Names kTorchCpuWidest = {
    "stack", "cat", "index_copy"};

// The functions of torch and of torch.nn.functional. The operators of Python are on a list of methods:
// x - y is, unlike torch.sub.
constexpr Names kApexNarrow = {
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "conv_tbc", "prelu", "addmm", "addmv", "addr", "matmul", "mm", "mv", "addbmm", "baddbmm", "bmm",
    "linear"};
constexpr Names kApexWide = {
    "acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "reciprocal", "rsqrt",
    "sinh", "tan", "pow", "cumprod", "cumsum", "dist", "norm", "prod", "std", "sum", "var", "renorm",
    "interpolate", "softplus", "softmin", "log_softmax", "softmax", "layer_norm", "group_norm",
    "local_response_norm", "normalize", "cosine_similarity", "poisson_nll_loss",
    "cosine_embedding_loss", "cross_entropy", "hinge_embedding_loss", "kl_div", "l1_loss", "mse_loss",
    "margin_ranking_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss",
    "multi_margin_loss", "nll_loss", "binary_cross_entropy_with_logits", "smooth_l1_loss",
    "soft_margin_loss", "triplet_margin_loss"};
constexpr Names kApexWidest = {
    "addcdiv", "addcmul", "atan2", "cross", "bilinear", "dot", "add", "sub", "div", "mul", "eq",
    "equal", "ge", "gt", "le", "lt", "ne", "cat", "stack"};
constexpr Names kApexRefused = {
    "binary_cross_entropy"};

constexpr Names kFlowGpuAllow = {
    "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "Einsum", "MatMul", "BlockLSTM",
    "BlockLSTMV2", "BlockLSTMGrad", "BlockLSTMGradV2", "CudnnRNN", "CudnnRNNBackprop",
    "CudnnRNNBackpropV2", "CudnnRNNBackpropV3", "CudnnRNNV2", "CudnnRNNV3",
    "FusedConv2DBiasActivation", "FusedSparseConvGpuV2", "GRUBlockCell", "GRUBlockCellGrad",
    "LSTMBlockCell", "LSTMBlockCellGrad", "Mha", "MhaV2", "Tmlp", "TmlpV2", "TmlpV3", "Pmlp",
    "FastUnsortedSegmentMax", "BatchMatMul", "BatchMatMulV2", "Conv3D", "Conv3DBackpropFilter",
    "Conv3DBackpropFilterV2", "Conv3DBackpropInput", "Conv3DBackpropInputV2",
    "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter",
    "DepthwiseConv2dNativeBackpropInput"};
constexpr Names kFlowGpuInfer = {
    "Add", "AddN", "AddV2", "AvgPool", "AvgPool3D", "AvgPool3DGrad", "AvgPoolGrad", "BiasAdd",
    "BiasAddGrad", "BiasAddV1", "Elu", "EluGrad", "Erf", "Erfc", "FloorDiv", "FusedBatchNormV2",
    "FusedBatchNormGradV2", "FusedBatchNormV3", "FusedBatchNormGradV3", "_FusedBatchNormEx",
    "Inv", "LeakyRelu", "LeakyReluGrad", "Log", "Log1p", "LogSoftmax", "Mul", "Prod", "RealDiv",
    "Reciprocal", "Selu", "SeluGrad", "Sigmoid", "SigmoidGrad", "Softmax", "Softplus",
    "SoftplusGrad", "Softsign", "SoftsignGrad", "Sqrt", "Sub", "Tanh", "TanhGrad"};
constexpr Names kFlowGpuDeny = {
    "Exp", "Expm1", "L2Loss", "Mean", "Pow", "SaveV2", "SoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogits", "Sum"};
constexpr Names kFlowGpuClear = {
    "Abs", "ArgMax", "ArgMin", "BatchToSpace", "BatchToSpaceND", "BroadcastTo", "Ceil",
    "CheckNumerics", "ClipByValue", "Concat", "ConcatV2", "DepthToSpace", "DynamicPartition",
    "DynamicStitch", "Enter", "EnsureShape", "Equal", "Exit", "ExpandDims", "Fill", "Floor",
    "Gather", "GatherNd", "GatherV2", "Greater", "GreaterEqual", "Identity", "IdentityN",
    "IsFinite", "IsInf", "IsNan", "Less", "LessEqual", "Max", "MaxPool", "MaxPool3D",
    "MaxPool3DGrad", "MaxPool3DGradGrad", "MaxPoolGrad", "MaxPoolGradGrad", "MaxPoolGradGradV2",
    "MaxPoolGradV2", "MaxPoolV2", "Maximum", "Merge", "Min", "Minimum", "MirrorPad",
    "MirrorPadGrad", "Neg", "NextIteration", "NotEqual", "OneHot", "OnesLike", "Pack", "Pad",
    "PadV2", "PreventGradient", "Rank", "Relu", "Relu6", "Relu6Grad", "ReluGrad", "Reshape",
    "ResizeNearestNeighbor", "ResizeNearestNeighborGrad", "Reverse", "ReverseSequence",
    "ReverseV2", "Round", "Select", "SelectV2", "Shape", "ShapeN", "Sign", "Size", "Slice",
    "Snapshot", "SpaceToBatch", "SpaceToBatchND", "SpaceToDepth", "Split", "SplitV", "Squeeze",
    "StopGradient", "StridedSlice", "StridedSliceGrad", "Switch", "TensorListConcat",
    "TensorListConcatLists", "TensorListConcatV2", "TensorListGather", "TensorListGetItem",
    "TensorListPopBack", "TensorListPushBack", "TensorListPushBackBatch", "TensorListFromTensor",
    "TensorListScatter", "TensorListScatterV2", "TensorListScatterIntoExistingList",
    "TensorListSetItem", "TensorListSplit", "TensorListStack", "Tile", "TopK", "TopKV2",
    "Transpose", "Unpack", "Where", "ZerosLike"};

constexpr Names kFlowCpuAllow = {
    "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv3D", "Conv3DBackpropFilterV2",
    "Conv3DBackpropInputV2", "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter",
    "DepthwiseConv2dNativeBackpropInput", "MatMul", "FusedPadConv2D", "BatchMatMul",
    "BatchMatMulV2", "Einsum"};
constexpr Names kFlowCpuInfer = {
    "Add", "AddN", "AddV2", "AvgPool", "AvgPool3D", "AvgPool3DGrad", "AvgPoolGrad", "BiasAdd",
    "BiasAddGrad", "BiasAddV1", "Erf", "Erfc", "FusedBatchNormV2", "FusedBatchNormGradV2",
    "FusedBatchNormV3", "FusedBatchNormGradV3", "LeakyRelu", "LeakyReluGrad", "Mul", "Sub", "Elu",
    "EluGrad", "FloorDiv", "_FusedBatchNormEx", "Inv", "Log", "Log1p", "LogSoftmax", "Mean",
    "Prod", "RealDiv", "Reciprocal", "Rsqrt", "Selu", "SeluGrad", "Sigmoid", "SigmoidGrad",
    "Softmax", "Softplus", "SoftplusGrad", "Softsign", "SoftsignGrad", "Sqrt", "Square",
    "SquaredDifference", "Sum", "Tanh", "TanhGrad"};
constexpr Names kFlowCpuDeny = {
    "Exp", "Expm1", "L2Loss", "Pow", "SaveV2", "SoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogits"};
constexpr Names kFlowCpuClear = {
    "Abs", "ArgMax", "ArgMin", "BatchToSpace", "BatchToSpaceND", "BroadcastTo", "Ceil",
    "CheckNumerics", "ClipByValue", "Concat", "ConcatV2", "DepthToSpace", "DynamicPartition",
    "DynamicStitch", "EnsureShape", "Enter", "Equal", "Exit", "ExpandDims", "Fill", "Floor",
    "Gather", "GatherNd", "GatherV2", "Greater", "GreaterEqual", "Identity", "IsFinite", "IsInf",
    "IsNan", "Less", "LessEqual", "Max", "Maximum", "MaxPool", "MaxPool3D", "MaxPool3DGrad",
    "MaxPoolGrad", "MaxPoolGradGrad", "MaxPoolGradGradV2", "MaxPoolGradV2", "MaxPoolV2", "Merge",
    "Min", "Minimum", "MirrorPad", "MirrorPadGrad", "Neg", "NextIteration", "NotEqual",
    "OnesLike", "Pack", "Pad", "PadV2", "PreventGradient", "Rank", "Relu", "Relu6", "Relu6Grad",
    "ReluGrad", "Reshape", "ResizeNearestNeighbor", "ResizeNearestNeighborGrad", "ResizeBilinear",
    "Reverse", "ReverseSequence", "ReverseV2", "Round", "ScatterNd", "Select", "SelectV2",
    "Shape", "ShapeN", "Sign", "Slice", "Snapshot", "SpaceToBatch", "SpaceToBatchND",
    "SpaceToDepth", "Split", "SplitV", "Squeeze", "StatelessWhile", "StopGradient",
    "StridedSlice", "StridedSliceGrad", "Switch", "TensorListConcat", "TensorListConcatLists",
    "TensorListConcatV2", "TensorListGather", "TensorListGetItem", "TensorListPopBack",
    "TensorListPushBack", "TensorListPushBackBatch", "TensorListFromTensor", "TensorListScatter",
    "TensorListScatterV2", "TensorListScatterIntoExistingList", "TensorListSetItem",
    "TensorListSplit", "TensorListStack", "Tile", "TopK", "TopKV2", "Transpose", "Where", "While",
    "Unpack", "ZerosLike"};

// clang-format on

constexpr CastList kTorchGpu[] = {{kNarrow, kTorchGpuNarrow},
                                  {kWide, kTorchGpuWide},
                                  {kWideResult, kTorchGpuWideResult},
                                  {kWidest, kTorchGpuWidest},
                                  {kRefused, kTorchGpuRefused}};
constexpr CastList kTorchCpu[] = {
    {kNarrow, kTorchCpuNarrow}, {kWide, kTorchCpuWide}, {kWidest, kTorchCpuWidest}};
constexpr CastList kApex[] = {
    {kNarrow, kApexNarrow}, {kWide, kApexWide}, {kWidest, kApexWidest}, {kRefused, kApexRefused}};
constexpr CastList kFlowGpu[] = {{kNarrow, kFlowGpuAllow},
                                 {kFollows, kFlowGpuInfer},
                                 {kWide, kFlowGpuDeny},
                                 {kNeutral, kFlowGpuClear}};
constexpr CastList kFlowCpu[] = {{kNarrow, kFlowCpuAllow},
                                 {kFollows, kFlowCpuInfer},
                                 {kWide, kFlowCpuDeny},
                                 {kNeutral, kFlowCpuClear}};

constexpr std::array kProfiles = {
    CastProfile{"pytorch-gpu", "pytorch", kFp16First, kAsOperands,
                "PyTorch, aten/src/ATen/autocast_mode.h (AT_FORALL_LOWER_PRECISION_FP, _FP32, "
                "_FP32_SET_OPT_DTYPE, _PROMOTE) and docs/source/amp.rst, Autocast Op Reference",
                kTorchGpu},
    CastProfile{"pytorch-cpu", "pytorch", kBf16First, kAsOperands,
                "PyTorch, aten/src/ATen/autocast_mode.cpp, TORCH_LIBRARY_IMPL(aten, AutocastCPU)",
                kTorchCpu},
    CastProfile{"apex-o1", "pytorch", kFp16Only, kAsOperands,
                "Apex, apex/amp/lists/torch_overrides.py, functional_overrides.py and "
                "tensor_overrides.py, of opt_level O1 with CUDA 9.1 and PyTorch 1.1 or later",
                kApex},
    CastProfile{"tensorflow-gpu", "tensorflow", kFp16Only, kUntouched,
                "TensorFlow, core/grappler/optimizers/auto_mixed_precision_lists.h, "
                "AutoMixedPrecisionListsFp16, newest libraries: allow, infer, deny, clear",
                kFlowGpu},
    CastProfile{"tensorflow-cpu", "tensorflow", kBf16Only, kUntouched,
                "TensorFlow, core/grappler/optimizers/auto_mixed_precision_lists.h, "
                "AutoMixedPrecisionListsMkl: allow, infer, deny, clear",
                kFlowCpu},
};

}  // namespace

std::span<const CastProfile> cast_profiles() { return kProfiles; }

}  // namespace halfmark::tools
