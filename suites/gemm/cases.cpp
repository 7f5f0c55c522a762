// SPDX-License-Identifier: Apache-2.0
// Which gemm cases each level contains: a table of products of tokens. A smoke case takes at most
// about a million multiply-adds, so that the reference answers quickly.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "suites/core/case/named_rows.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {
namespace {

// Every combination of the words of each column; words are separated by spaces.
struct Group {
  Level level;
  std::string_view paths;  // format.accumulator.output
  std::string_view layouts, shapes, variants, fills;
  std::string_view providers = "portable";
};

constexpr std::string_view kEveryPath =
    "fp16.acc-fp32.out-fp16 fp16.acc-fp32.out-fp32 fp16.acc-fp16.out-fp16 fp16.acc-fp16.out-fp32 "
    "bf16.acc-fp32.out-bf16 bf16.acc-fp32.out-fp32 fp32.acc-fp32.out-fp32 fp32.acc-fp32.out-fp16 "
    "fp32.acc-fp32.out-bf16";
constexpr std::string_view kMainPaths =
    "fp16.acc-fp32.out-fp16 fp16.acc-fp32.out-fp32 fp16.acc-fp16.out-fp16 bf16.acc-fp32.out-bf16 "
    "fp32.acc-fp32.out-fp32";
constexpr std::string_view kHalf = "fp16.acc-fp32.out-fp16";
constexpr std::string_view kHalfAndSingle = "fp16.acc-fp32.out-fp16 fp32.acc-fp32.out-fp32";
constexpr std::string_view kTimed =
    "fp16.acc-fp32.out-fp16 fp16.acc-fp16.out-fp16 fp32.acc-fp32.out-fp32";
constexpr std::string_view kLibraryPaths =
    "fp16.acc-fp32.out-fp16 fp16.acc-fp32.out-fp32 bf16.acc-fp32.out-bf16 fp32.acc-fp32.out-fp32";
// Sums in half precision, where a library offers them.
constexpr std::string_view kHalfSums = "fp16.acc-fp16.out-fp16";
// Libraries multiply 8-bit matrices in one layout, with sizes that are multiples of 16.
constexpr std::string_view kNarrowPaths = "e4m3fn.acc-fp32.out-fp16 e4m3fn.acc-fp32.out-fp32";
// Gradients by weights or activations, on either side.
constexpr std::string_view kMixedPaths =
    "e5m2-e4m3fn.acc-fp32.out-fp32 e5m2-e4m3fn.acc-fp32.out-bf16 e4m3fn-e5m2.acc-fp32.out-fp16";
constexpr std::string_view kEveryLayout = "nn nt tn tt";
constexpr std::string_view kSmooth = "gelu gelutanh silu biasgelu biasgelutanh biassilu";
constexpr std::string_view kVariants = "ab eighth beta0nan batch3 ldpad";
// Tile, vector and work-group boundaries: 1, 2, 3, then each side of 8, 16, 32, 64 and 128.
constexpr std::string_view kEdges =
    "m1n129k17 m2n3k16 m3n1k65 m15n17k33 m16n16k16 m17n15k31 m31n33k2 m33n31k15 m63n65k17 m65n63k3 "
    "m127n2k129 "
    "m129n7k64 m64n64k1 m5n127k63";
// The sizes whose sums half precision can hold.
constexpr std::string_view kHalfEdges =
    "m2n3k16 m3n1k65 m15n17k33 m16n16k16 m17n15k31 m31n33k2 m33n31k15 m63n65k17 m65n63k3 m129n7k64 "
    "m64n64k1 m5n127k63 m47n49k79 m81n79k47 m97n96k111 m7n8k119";
constexpr std::string_view kLongEdges =
    "m7n8k255 m8n7k257 m9n16k511 m16n9k513 m3n5k1023 m5n3k1025 m2n3k4095 m3n2k4097 m255n3k9 "
    "m3n257k9 m513n2k7 "
    "m2n1025k5 m4097n1k8 m1n4095k8";
constexpr std::string_view kExactFills = "integer ones permutation ties";
constexpr std::string_view kHardFills = "normal cancel splitk subnormal tiny special";

// Sums that are exact in any order: asserted for every provider.
constexpr std::string_view kLibraries = "library library2";
constexpr std::string_view kUnits = "unit unit2";
constexpr std::string_view kNewExactFills = "wide large shrunk nonfinite";
// A library's code path depends on n: from matrix-vector products to tiles, and at the sizes
// of tiles.
constexpr std::string_view kRoutes =
    "m16n1k128 m16n8k128 m16n63k128 m16n64k128 m16n65k128 m16n512k128";

// Both sides of tile sizes that are not powers of two: 48, 80, 96, 112, 144, 160, 192, 224.
constexpr std::string_view kOddTiles =
    "m47n49k79 m49n47k81 m48n81k95 m79n80k97 m81n79k47 m80n95k49 m95n97k48 m97n96k111 m96n111k113 "
    "m111n113k80 m113n112k143 m112n143k145 m143n145k159 m145n144k161 m159n161k191 m161n191k193 "
    "m191n193k96 m193n159k223 m3n225k225 m223n3k112";
// Sums longer than the stretches into which libraries split k.
constexpr std::string_view kLongSums = "m3n5k1025 m2n3k2049 m3n2k4097 m2n3k8193";
// One product in calls of each size up to 272: 1 + 2 + ... + 272 is 37128.
constexpr std::string_view kEverySize = "m37128n3k5";
constexpr std::string_view kEveryWidth = "m3n37128k5";

constexpr Group kGroups[] = {
    {Level::kSmoke, kHalf, "nt", "m17n33k65", "plain", kNewExactFills},
    {Level::kSmoke, kHalf, "nn", "m33n17k37", "base1", "integer"},
    {Level::kSmoke, kHalf, "nn", "m9n35k24", "shared3 minus0nan ac", "integer"},

    {Level::kSmoke, kHalf, "nt", "m17n33k65", "plain", "permutation large shrunk nonfinite",
     "library unit"},
    {Level::kSmoke, kHalf, "nn", "m15n17k47", "plain", "integer", "library library2 unit"},
    {Level::kSmoke, "e4m3fn.acc-fp32.out-fp16", "nt", "m32n48k64", "plain", "integer", kLibraries},
    // Timed, a roof of what wider units reach.
    {Level::kSmoke, "tf32.acc-fp32.out-fp32", "nt", "m128n128k128", "plain", "integer", kLibraries},
    {Level::kSmoke, kHalf, "nt", "m33n17k37", "ldpad base1 beta0nan", "integer", "library"},
    {Level::kSmoke, kHalf, "nt", "m33n17k37", "eighth", "large", "library"},
    {Level::kSmoke, kHalf, "nt", "m33n17k37", "bias", "wide", "library"},
    {Level::kSmoke, kHalf, "nt", "m17n33k33", "plain", "wide", "library"},
    {Level::kSmoke, kHalf, "nn", "m5n7k0", "minus2c", "normal", "library"},
    {Level::kSmoke, "fp16.acc-fp32.out-fp32", "nn", "m16n64k128", "plain", "large", "library"},
    {Level::kSmoke, "fp32.acc-fp32.out-fp32", "nn", "m17n33k65", "plain", "permutation nonfinite",
     "library"},
    {Level::kSmoke, "fp32.acc-fp32.out-fp32", "nn", "m17n33k65", "shared3", "permutation",
     "library"},

    {Level::kSmoke, kHalf, "nn", "m3n65537k2", "plain", "integer", "library"},
    {Level::kSmoke, kHalf, "nt", "m9n17k21", "batch3minus", "ones", "library"},
    {Level::kSmoke, "fp16.acc-fp32.out-fp32", "nt", "m17n33k40", "alike8", "normal", "library"},
    {Level::kSmoke, kHalf, "nt", "m17n33k40", "relu", "nonfinite", "library"},
    {Level::kSmoke, kHalf, "nt", "m33n17k40", "gelu biasgelu", "uniform", "library"},
    {Level::kSmoke, kHalf, "nt", "m33n17k40", "biasgelutanh biassilu", "uniform", kLibraries},
    {Level::kSmoke, kHalf, "tn", "m33n17k37", "ldpad", "integer", "library"},
    {Level::kSmoke, kHalf, "tt", "m24n24k37", "plain", "integer", "library"},
    {Level::kSmoke, kHalf, "nn", "m3n5k1025", "plain", "wide", "library"},
    // 1 + 2 + ... + 65 rows.
    {Level::kSmoke, kHalf, "nn", "m2145n3k5", "byrows", "integer", "library"},
    {Level::kSmoke, kHalf, "nn", "m2n3k5", "batch65537", "integer", "library"},
    {Level::kSmoke, kHalf, "nn", "m257n5k300", "ldpad", "integer", "library"},
    {Level::kSmoke, kHalf, "nn", "m2n3k8193", "plain", "ones", "library"},
    // More rows than a launch of a few blocks covers.
    {Level::kSmoke, kHalf, "nn", "m1031n3k5", "plain", "integer", "library"},
    {Level::kSmoke, kHalf, "nt", "m5n7k19", "batch9pad", "integer", "library"},
    // Detects rows of C that are read as columns.
    {Level::kSmoke, kHalf, "nn", "m24n24k21", "ac", "integer", "library"},

    // Code paths for a single row or column, for a split k, and for sizes that are multiples
    // of tiles.
    {Level::kSmoke, kHalf, "nn", "m1n65k80 m65n1k80", "plain", "wide", "library"},
    {Level::kSmoke, kHalf, "nt", "m33n40k80", "bias", "wide", "library"},
    {Level::kSmoke, kHalf, "nt", "m17n24k130", "eighth ac batch3minus", "wide", "library"},
    {Level::kSmoke, "fp16.acc-fp32.out-fp32", "nn", "m5n7k515", "plain", "wide", "library"},
    {Level::kSmoke, "bf16.acc-fp32.out-bf16", "nt", "m17n33k65", "plain", "permutation ties",
     "library"},
    {Level::kSmoke, "fp32.acc-fp32.out-fp32", "nn", "m17n33k65", "plain", "shrunk", "library"},
    {Level::kSmoke, "e4m3fn.acc-fp32.out-fp16", "nt", "m32n48k64", "plain", "permutation",
     "library"},
    {Level::kSmoke, "e5m2-e4m3fn.acc-fp32.out-bf16", "nt", "m32n48k64", "plain",
     "integer permutation", "library"},
    {Level::kSmoke, "e4m3fn-e5m2.acc-fp32.out-fp32", "nt", "m32n48k64", "plain", "integer",
     "library"},
    {Level::kSmoke, kHalf, "nt", "m17n33k33", "ab", "normal", "library"},
    {Level::kSmoke, kHalf, "nt", "m17n33k33", "plain", "normal cancel", "library"},
    {Level::kSmoke, "fp32.acc-fp32.out-fp32", "nt", "m17n33k33", "plain", "normal", "library"},
    // An instruction returns its accumulator's format and includes C in the sum.
    {Level::kSmoke, "fp16.acc-fp32.out-fp32", "nn", "m16n8k32", "plain ac", "normal", kUnits},
    {Level::kSmoke, "fp16.acc-fp32.out-fp32", "nt", "m17n33k65", "plain",
     "permutation large nonfinite", kUnits},
    // Processors have units for bf16 alone.
    {Level::kSmoke, "bf16.acc-fp32.out-fp32", "nn", "m16n8k32", "plain", "normal", "unit"},
    {Level::kSmoke, "bf16.acc-fp32.out-fp32", "nt", "m17n33k65", "plain", "permutation nonfinite",
     "unit"},
    {Level::kSmoke, kHalf, "nt", "m17n33k33", "abwide", "normal", "library"},
    {Level::kSmoke, "fp16.acc-fp32.out-fp32", "nn", "m33n17k40", "again200", "normal integer",
     "library"},

    {Level::kSmoke, kHalfAndSingle, "nt", "m17n33k33", "plain", "related", "library"},
    {Level::kSmoke, "fp16.acc-fp32.out-fp32", "nn", "m16n8k32", "plain", "related",
     "portable unit"},

    // Sums in half precision: an edge in every dimension, one term, sums whose order is
    // visible, scalars.
    {Level::kSmoke, kHalfSums, "nn", "m15n17k47", "plain", "integer", kLibraries},
    {Level::kSmoke, kHalfSums, "nt", "m17n33k65", "plain", "permutation nonfinite", "library"},
    {Level::kSmoke, kHalfSums, "tn", "m33n17k37", "ldpad beta0nan", "integer", "library"},
    {Level::kSmoke, kHalfSums, "nn", "m2n3k479", "plain", "ones", "library"},
    {Level::kSmoke, kHalfSums, "nt", "m17n33k33", "plain abhalf", "normal", "library"},
    {Level::kSmoke, kHalfSums, "nn", "m33n35k3", "plain", "normal", "library"},

    // Long sums: operands in full precision, a tail past each limit in use, k beyond 16 bits.
    {Level::kSmoke, "fp16.acc-fp32.out-fp16 bf16.acc-fp32.out-bf16 fp32.acc-fp32.out-fp32", "nn",
     "m5n7k515", "plain", "permutation", "library"},
    {Level::kSmoke, kHalf, "nn", "m3n5k4099", "plain", "permutation", "library"},
    {Level::kSmoke, "fp16.acc-fp32.out-fp32", "nn", "m3n4k8193 m1n2k70000", "plain", "integer",
     "library"},
    {Level::kSmoke, "e4m3fn.acc-fp32.out-fp32", "nt", "m16n16k4096", "plain", "positive",
     "library"},
    {Level::kSmoke, "bf16.acc-fp32.out-bf16", "nt", "m17n33k33", "plain", "wide", "library"},

    {Level::kStandard, kLibraryPaths, kEveryLayout, "m33n65k66", "plain", "related", kLibraries},
    {Level::kStandard, "fp16.acc-fp32.out-fp32 bf16.acc-fp32.out-fp32", "nt tn", "m33n17k40",
     "plain", "related", kUnits},
    {Level::kStandard, kEveryPath, "nt tn", "m33n65k66", "plain", kNewExactFills},
    {Level::kStandard, kLibraryPaths, kEveryLayout, "m33n65k66", "plain", "normal cancel uniform",
     kLibraries},
    {Level::kStandard, kHalfAndSingle, "nn", kRoutes, "plain", "normal", kLibraries},
    {Level::kStandard, kLibraryPaths, "nt", "m33n17k40", "ab abwide third bias relu", "normal",
     kLibraries},
    {Level::kStandard, "fp16.acc-fp32.out-fp32 fp32.acc-fp32.out-fp32", "nt", "m33n17k40", "small",
     "normal", kLibraries},
    {Level::kStandard, kLibraryPaths, "nn", "m33n17k40", "again2000", "normal integer", kLibraries},
    {Level::kStandard, kLibraryPaths, "nn", "m33n17k40", "queue8 beside200", "normal integer",
     kLibraries},
    {Level::kStandard, kHalfAndSingle, "nn", "m33n17k40", "beside200", "normal"},
    {Level::kStandard, kMainPaths, "nt", "m40n21k50", "base1 shared3 minus0nan ac third small",
     "integer"},
    {Level::kStandard, kHalf, "nn", "m2n3k5", "batch65537", "integer"},
    {Level::kStandard, kLibraryPaths, kEveryLayout, "m33n65k66", "plain",
     "integer ones permutation ties wide large shrunk nonfinite splitk", kLibraries},
    {Level::kStandard, kLibraryPaths, "nt tn", "m33n35k35", "plain", "wide", kLibraries},
    {Level::kStandard, kLibraryPaths, kEveryLayout, "m40n21k37",
     "eighth beta0nan minus0nan ac batch3 shared3 ldpad base1", "integer wide", kLibraries},
    {Level::kStandard, kLibraryPaths, "nt", "m40n21k37", "eighth", "large", kLibraries},
    {Level::kStandard, kLibraryPaths, "nn tt", "m1n65k80 m65n1k80 m1n1k80", "plain", "wide ties",
     kLibraries},
    {Level::kStandard, kLibraryPaths, "nt", "m33n40k80 m17n24k130 m40n32k144",
     "bias relu eighth ac batch3minus", "wide", kLibraries},
    {Level::kStandard, "fp16.acc-fp32.out-fp32 fp32.acc-fp32.out-fp32", "nn",
     "m5n7k272 m7n5k515 m3n4k784", "plain", "wide", kLibraries},
    {Level::kStandard, kNarrowPaths, "nt", "m32n48k64 m16n16k16", "plain", "permutation",
     kLibraries},
    {Level::kStandard, kLibraryPaths, kEveryLayout, "m40n21k37", "batch3minus", "ones", kLibraries},
    {Level::kStandard, kLibraryPaths, kEveryLayout, "m33n17k40", "alike8", "normal", kLibraries},
    {Level::kStandard, kLibraryPaths, kEveryLayout, "m24n24k37", "plain", "integer", kLibraries},
    {Level::kStandard, kLibraryPaths, "nt", "m33n17k40", "relu", "nonfinite", kLibraries},
    {Level::kStandard, kHalfAndSingle, "nn", kOddTiles, "plain", "integer", kLibraries},
    {Level::kStandard, kLibraryPaths, "nn", kLongSums, "plain", "wide permutation", kLibraries},
    {Level::kStandard, kLibraryPaths, "nt", "m5n7k515", "plain", "permutation", kLibraries},
    {Level::kStandard, kNarrowPaths, "nt", "m16n16k1024 m16n16k4096", "plain", "positive",
     kLibraries},
    {Level::kStandard, kHalfAndSingle, "nn", "m1n2k70000", "plain", "integer", kLibraries},
    {Level::kStandard, kHalfAndSingle, "nn", kEverySize, "byrows", "integer", kLibraries},
    {Level::kStandard, kHalfAndSingle, "nn", kEveryWidth, "bycolumns", "integer", kLibraries},
    {Level::kStandard, kLibraryPaths, "nn tt", "m40n21k64", "shared3 batch3", "permutation",
     kLibraries},
    {Level::kStandard, kHalfAndSingle, "nn", kRoutes, "plain", "large wide", kLibraries},
    {Level::kStandard, "fp16.acc-fp32.out-fp32", "nn", kRoutes, "plain", "large", kLibraries},
    {Level::kStandard, kLibraryPaths, "nn", kEdges, "plain", "integer", kLibraries},
    {Level::kStandard, kHalfAndSingle, "nn", kEdges, "beta0nan", "integer", "library"},
    {Level::kStandard, kHalfAndSingle, "nn", kLongEdges, "plain", "integer", "library"},
    {Level::kStandard, kHalf, "nt", "m33n17k40", "bias relu", "integer wide large", kLibraries},
    {Level::kStandard, kNarrowPaths, "nt", "m32n48k64 m16n16k16 m128n16k128",
     "plain eighth ac batch3", "integer ones", kLibraries},
    {Level::kStandard, kMixedPaths, "nt", "m32n48k64 m16n16k16 m128n16k128", "plain ac",
     "integer ones", kLibraries},
    {Level::kStandard, kMixedPaths, "nt", "m32n48k64", "plain", "permutation normal", kLibraries},
    {Level::kStandard, "e4m3fn.acc-fp32.out-fp32", "nt", "m32n48k64", "plain", "normal",
     kLibraries},
    {Level::kStandard, kMixedPaths, "nt", "m16n16k4096", "plain", "positive", kLibraries},
    {Level::kStandard, kLibraryPaths, "nt", "m33n17k40", kSmooth, "uniform", kLibraries},
    {Level::kStandard, kHalfAndSingle, "nn tn", "m17n65k33", kSmooth, "uniform", "library"},
    {Level::kStandard, "e4m3fn.acc-fp32.out-fp16", "nt", "m32n48k64", "bias relu", "integer",
     kLibraries},
    {Level::kStandard, kLibraryPaths, "nn", "m5n7k0", "minus2c", "normal", kLibraries},
    {Level::kStandard, kLibraryPaths, "nn", "m2n3k4097", "plain", "ones", kLibraries},
    {Level::kStandard, kHalf, "nt", "m4n5k1000", "plain", "large wide", kLibraries},
    {Level::kStandard, kHalf, "nn tn", "m257n5k300 m5n300k257", "ldpad", "integer", kLibraries},
    {Level::kStandard, kHalfAndSingle, "nn", "m3n65537k2 m65537n3k2", "plain", "integer",
     kLibraries},
    {Level::kStandard, kHalf, "nn", "m2n3k5", "batch65537", "integer", kLibraries},
    {Level::kStandard, kHalfAndSingle, "nn", "m5n7k5", "fara farb fard", "integer", kLibraries},
    // Sums in half precision hold whole numbers up to 2048: up to 119 terms in `integer`.
    {Level::kStandard, kHalfSums, kEveryLayout, "m33n65k66", "plain",
     "integer ones permutation shrunk nonfinite", kLibraries},
    {Level::kStandard, kHalfSums, kEveryLayout, "m33n65k66", "plain",
     "normal uniform cancel ties splitk subnormal tiny", kLibraries},
    {Level::kStandard, kHalfSums, "nn tt", "m33n35k3", "plain", "normal uniform", kLibraries},
    {Level::kStandard, kHalfSums, kEveryLayout, "m40n21k37",
     "eighth beta0nan minus0nan minus2c ac batch3 shared3 ldpad base1 batch9pad", "integer",
     kLibraries},
    {Level::kStandard, kHalfSums, kEveryLayout, "m33n17k40", "abhalf batch3minus alike8", "normal",
     kLibraries},
    {Level::kStandard, kHalfSums, "nt", "m33n17k40", "bias relu", "integer normal", kLibraries},
    {Level::kStandard, kHalfSums, "nn tt", "m1n65k80 m65n1k80 m1n1k80 m24n24k37 m257n5k64", "plain",
     "integer normal", kLibraries},
    {Level::kStandard, kHalfSums, "nn", kHalfEdges, "plain", "integer", kLibraries},
    {Level::kStandard, kHalfSums, "nn", kRoutes, "plain", "ones normal", kLibraries},
    {Level::kStandard, kHalfSums, "nn", "m3n5k1025 m2n3k2048", "plain", "normal", kLibraries},
    {Level::kStandard, kHalfSums, "nn", "m5n7k0", "minus2c", "normal", kLibraries},
    {Level::kStandard, kHalfSums, "nn", "m33n17k40", "again200 queue8 beside200", "normal",
     kLibraries},
    {Level::kStandard, kHalfSums, "nn", "m2145n3k5", "byrows", "integer", kLibraries},
    {Level::kStandard, kHalfSums, "nn", "m3n2145k5", "bycolumns", "integer", kLibraries},
    // For timing libraries: a whole number of tiles, sizes that no vector width divides, and the
    // batches and widths of small linear layers.
    {Level::kStandard, kLibraryPaths, "nn", "m128n128k128 m127n125k131", "plain", "normal",
     kLibraries},
    {Level::kStandard, kHalfSums, "nn", "m128n128k128 m127n125k131", "plain", "normal", kLibraries},
    {Level::kStandard, kHalfSums, "nt", "m128n128k128", "plain", "integer zeros", "library"},
    {Level::kFull, "bf16.acc-fp32.out-bf16", "nn", "m1024n1024k1024", "plain", "normal",
     kLibraries},
    {Level::kFull, kTimed, "nn nt tn tt", "m1024n1024k1024 m512n2048k512", "plain", "normal",
     kLibraries},
    {Level::kFull, kHalfAndSingle, "nn", "m512n512k512", "batch3", "normal", kLibraries},
    // The same on data with few bits, which must not be the only basis of a speed.
    {Level::kStandard, "e4m3fn.acc-fp32.out-fp16 fp16.acc-fp32.out-fp16 fp32.acc-fp32.out-fp32",
     "nt", "m128n128k128", "plain", "integer zeros", "library"},
    {Level::kStandard, "tf32.acc-fp32.out-fp32", "nt", "m16n16k16", "plain", "integer", kLibraries},
    {Level::kFull, "tf32.acc-fp32.out-fp32", "nt", "m1024n1024k1024", "plain", "integer",
     "library"},
    {Level::kFull, "e4m3fn.acc-fp32.out-fp16 fp16.acc-fp32.out-fp16 fp32.acc-fp32.out-fp32", "nt",
     "m1024n1024k1024", "plain", "integer zeros", kLibraries},
    // Intermediate sizes for sweeps.
    {Level::kFull, kHalfAndSingle, "nn", "m128n128k128 m256n256k256 m512n512k512", "plain",
     "integer", "library"},
    // The usual size for loading a device, on data with unique results: an enclosure of other data
    // would take hours.
    {Level::kFull, "fp16.acc-fp32.out-fp16 bf16.acc-fp32.out-bf16 fp32.acc-fp32.out-fp32", "nn",
     "m8192n8192k8192", "plain", "integer", "library"},
    {Level::kFull, kTimed, "nn",
     "m16n512k512 m32n512k512 m64n512k512 m16n1024k1024 m32n1024k1024 m64n1024k1024 "
     "m16n2048k2048 m32n2048k2048 m64n2048k2048",
     "plain", "normal", "library"},
    {Level::kStandard, kLibraryPaths, "nt tn", "m15n17k33", "plain",
     "integer permutation large shrunk nonfinite", kUnits},
    {Level::kStandard, "fp16.acc-fp32.out-fp32 bf16.acc-fp32.out-fp32", "nt tn", "m33n17k40",
     "plain ac", "normal uniform", kUnits},

    {Level::kSmoke, kHalf, "nn", kEdges, "plain", "integer"},
    {Level::kSmoke, kMainPaths, "nt", "m17n33k65", "plain",
     "permutation ties cancel subnormal tiny special"},
    {Level::kSmoke, kMainPaths, "tn", "m17n33k64", "plain", "border"},
    {Level::kSmoke, kHalf, "nt", "m33n17k40", kVariants, "normal"},
    {Level::kSmoke, "fp32.acc-fp32.out-fp32", "tt", "m9n35k24", kVariants, "integer"},
    {Level::kSmoke, kHalf, "nt", "m33n17k40", "abwide", "tiny"},
    {Level::kSmoke, kHalf, "tn", "m17n33k64", "eighth", "border"},
    {Level::kSmoke, kHalf, "nn", "m64n64k1", "eighth", "subnormal"},
    {Level::kSmoke, kHalf, "nn", "m2n3k4097", "plain", "ones splitk"},
    {Level::kSmoke, "fp16.acc-fp16.out-fp16", "nn", "m2n3k4097", "plain", "ones"},
    {Level::kSmoke, kHalf, "nn", "m5n7k0", "ab", "normal"},
    // Whole tiles of ordinary data: the basis of throughput.
    {Level::kSmoke, kTimed, "nn", "m64n64k64", "plain", "normal"},
    {Level::kSmoke, kTimed, "nn", "m64n64k64", "plain", "normal", "library"},

    {Level::kStandard, kEveryPath, kEveryLayout, "m33n65k66", "plain", kExactFills},
    {Level::kStandard, kEveryPath, kEveryLayout, "m33n65k129", "plain", kHardFills},
    {Level::kStandard, kEveryPath, "nn tt", "m33n65k128", "plain", "border"},
    {Level::kStandard, kEveryPath, "nt tn", "m34n35k5", "plain", "finite uniform"},
    {Level::kStandard, kMainPaths, "tn", kEdges, "plain", "integer"},
    {Level::kStandard, kEveryPath, "nt", "m40n21k50", kVariants, "integer normal"},
    {Level::kStandard, kEveryPath, "nt", "m40n21k50", "ab abwide", "tiny"},
    {Level::kStandard, kEveryPath, "tn", "m40n21k64", "eighth", "border"},
    {Level::kStandard, kEveryPath, "nn", "m64n64k1", "eighth", "subnormal"},
    {Level::kStandard, kHalfAndSingle, "nn", kLongEdges, "plain", "integer"},
    {Level::kStandard, kMainPaths, "nt", "m32n32k4096", "plain",
     "normal cancel splitk ones border"},
    {Level::kStandard, kHalf, "nn", "m1n2k70000 m3n2k20000", "plain", "ones"},
    {Level::kStandard, kHalf, "nt", "m128n128k4096", "plain", "cancel"},
    {Level::kStandard, kTimed, "nn", "m256n256k256", "plain", "normal"},

    {Level::kFull, kEveryPath, kEveryLayout, "m65n129k97", kVariants,
     "integer normal cancel special tiny"},
    {Level::kFull, kEveryPath, kEveryLayout, kLongEdges, "plain", "integer normal"},
    {Level::kFull, kMainPaths, "nn tt", "m256n256k1024", "plain", "normal cancel special"},
    {Level::kFull, kMainPaths, "nn", "m3n5k65536", "plain", "normal splitk ones"},
    {Level::kFull, kHalfAndSingle, "nt", "m65537n3k5 m3n65537k5", "plain", "integer"},

    {Level::kExhaustive, kMainPaths, kEveryLayout, "m1024n1024k1024", "plain", "normal cancel"},
    {Level::kExhaustive, kHalf, "nn", "m2048n2048k2048", "plain", "normal"},
};

void append(const Group& group, std::uint64_t seed, std::vector<std::string>& names) {
  for (const std::string_view path : words_in(group.paths)) {
    for (const std::string_view layout : words_in(group.layouts)) {
      for (const std::string_view shape : words_in(group.shapes)) {
        for (const std::string_view variant : words_in(group.variants)) {
          for (const std::string_view fill : words_in(group.fills)) {
            for (const std::string_view provider : words_in(group.providers)) {
              names.push_back(fmt::format("gemm.{}.{}.{}.{}.{}.{}.s{}", path, provider, layout,
                                          shape, variant, fill, seed));
            }
          }
        }
      }
    }
  }
}

// Cases whose costs differ by less than a factor of sixteen run in the order of their names.
int cost_class(const Case& c) {
  const operators::GemmProblem problem = bind(c).problem;
  return (static_cast<int>(std::bit_width(problem.d_count() * (problem.k + 1))) + 3) / 4;
}

}  // namespace

std::vector<Case> cases(Level level, std::uint64_t seed) {
  std::vector<std::string> names;
  for (const Group& group : kGroups) {
    if (group.level <= level) append(group, seed, names);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<Case> list;
  for (const std::string& name : names) {
    Case c = parse_case("gemm", axes(), name);
    if (c.word("fill") != "shrunk" || products_can_shrink(bind(c))) list.push_back(std::move(c));
  }
  // By cost class, then by name.
  std::sort(list.begin(), list.end(), [](const Case& a, const Case& b) {
    return std::pair(cost_class(a), print(a)) < std::pair(cost_class(b), print(b));
  });
  return list;
}

}  // namespace halfmark::suites::gemm
