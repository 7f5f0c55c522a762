// SPDX-License-Identifier: Apache-2.0
// What cuDNN 9.14 returned on an H100 for one row each, word by word: its normalisation of rows
// whose length is no multiple of 32, and its gradient of such rows.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reference/formats/format.hpp"
#include "suites/core/suite/own_functions.hpp"
#include "suites/layernorm/binding.hpp"
#include "suites/layernorm/suite.hpp"

namespace halfmark::suites::layernorm {
namespace {

using Words = std::vector<std::uint32_t>;

const Words kX{0x3e824503, 0xbfa3bbd2, 0xbfca637a, 0xbda058b9, 0xbf28bf38, 0x3d42c182, 0xbf8933db,
               0x40283b09, 0x3f0e7632, 0x40057601, 0xbeb850db, 0x3cecec60, 0xbeacc618, 0x3e67c32b,
               0x3f198f5b, 0xbea957a6, 0xbf5fd516, 0xbf05bffc, 0xbd40524d, 0x3f7435a9, 0xbfb4738a,
               0xbf28f439, 0x3ef937f3, 0x3fb3cd03, 0xbebada5a, 0x3eb7d5ba, 0xbe122f70, 0xbe4fbf8e,
               0x3e3a25e5, 0xbefe2dc7, 0xbe5790a6, 0xbe8fbb21, 0x3fc6af2d};
const Words kGamma{0x3ed1ab12, 0xbf88297e, 0xbf8141c7, 0x3f9d778c, 0xbe63648a, 0x3fdfe026,
                   0x3fc50efc, 0xbe72822f, 0xbe9145d6, 0xbf6d6eaf, 0x3f3fa037, 0xbfb3b893,
                   0x3ecbc61c, 0xbedaad69, 0x3fba7bc4, 0xbed92b57, 0xbf593894, 0x3f01a1ec,
                   0xbf8e8764, 0x3f12c31a, 0xbed8443a, 0xbf3711e6, 0xbee872e9, 0xbec50b7c,
                   0xbfb1335c, 0x3ee325f6, 0xbe556ed1, 0xbf3f2887, 0x3f945e75, 0x3de81b4e,
                   0x3fc1953b, 0xbff1b3a5, 0x3fa01d8b};
const Words kBeta{0x3d6dd56b, 0x3fcd65ca, 0x3cf51754, 0xbf07ab4c, 0xbf2cd9e5, 0x3eb3ab46,
                  0xbfcddd99, 0xbed4c8b4, 0xbf87396a, 0x4010daa4, 0x3ee8ecd8, 0xbeaac791,
                  0xc041072d, 0xbe5156be, 0xbf38c2c0, 0xbe3be9c9, 0xbde3b96e, 0xbf5ce371,
                  0xbfb7b65f, 0xbee3e022, 0xbe8f1b7f, 0xbe564bb6, 0xbe382482, 0x3e893335,
                  0xbf7989b3, 0x3f3bf516, 0xbf084f8a, 0x3d1db7e8, 0xbf14e8d1, 0x3e0b00fe,
                  0x3fb9f230, 0x3ebede7c, 0x3d4f7513};
const Words kY{0x3e294f61, 0x40468ac8, 0x3fe44b86, 0xbf2741c1, 0xbf03323a, 0x3ed48bf5, 0xc05b67ad,
               0xbf8b7eed, 0xbf9caeb7, 0x3e2fa59d, 0x3e19e133, 0xbeb69802, 0xc04ac51c, 0xbe9b43b2,
               0x3e54d422, 0xbcc7b8ad, 0x3f359770, 0xbf944a4d, 0xbfae47c4, 0x3e112337, 0x3ec01a2b,
               0x3ea175be, 0xbed3c315, 0xbea13173, 0xbecec3fc, 0x3f66a594, 0xbefe6d78, 0x3e5bd732,
               0xbebd4a73, 0x3d950e6e, 0x3f8aa98d, 0x3f7a765c, 0x400955db};
constexpr std::uint32_t kMean = 0x3c628b64, kRstd = 0x3f8b5cfd;

const Words kGradientX{
    0xbfa5d9f0, 0x3ebe18a9, 0x3bdc772e, 0x3f2f3514, 0xbf8a5c12, 0x3f6d3156, 0x3fc28ab5, 0x3ea816cf,
    0x3f0678a4, 0x3e821663, 0x3fe8123f, 0x3e4d80ec, 0xbfca401b, 0xbe1b5efe, 0xbe90fe83, 0xbeb6c607,
    0x3f1d6ca2, 0xbe62b8b7, 0x3f1f8459, 0x3e69e7f4, 0xbf76d45c, 0xbf3eea50, 0x3e1781d1, 0x3fa08496,
    0xbd0e2241, 0xbfebafcc, 0x3f5d7c34, 0x3f0b9653, 0xbf260a83, 0x3db09e00, 0xbfcdef01, 0xbf59b3f6,
    0x3f9c5d00, 0x3f83b202, 0x4013d20b, 0xbf53a1cb, 0xbf66a908, 0x3f8933a5, 0x3da7ef7d, 0x3fa924b9,
    0x3eed8b31, 0xbeb428ce, 0xbf9e9d7d, 0xbf2065f3, 0xbed14618, 0xbf9eb70d, 0xbf2674d5, 0x3fa12c0e,
    0x3f48afbd, 0xbe6b61d1, 0xbf9db6df, 0xbe9e399e, 0x3f651751, 0xbf22059a, 0xc01622d3, 0x3c9da877,
    0xbf9bbf00, 0xbfc3c1e9, 0xbf190b01, 0x4054ed9c, 0xbfa49a92, 0x3f0944da, 0x3f76c60a};
const Words kDy{0x3f69a47c, 0xbfe64f36, 0x3fc48a9c, 0x3f821a71, 0xbfc07665, 0x3e994eab, 0xbe3c14e3,
                0xbec78e6c, 0xbfb570c7, 0xbe04478b, 0x3f6244bc, 0x3f1a8112, 0x3ee6080e, 0xbeafe21c,
                0xbef5ef73, 0xbcccf296, 0x40080946, 0xbf989cdd, 0x3e98411f, 0xbf2358aa, 0xbf93dcd1,
                0xbea4b31e, 0xbf4668f2, 0x3eb2df77, 0x3f8c5871, 0x3ea68bd4, 0xbe800435, 0xbf90d34e,
                0xbf40bb2d, 0x3e8513d1, 0x3f52a0be, 0xbf920046, 0x3f4f6205, 0xbd52d23a, 0x3f801fad,
                0xbc88b3b3, 0xbec95b59, 0x3ef7f099, 0x3fed60c6, 0xbf603331, 0x3ebb1d3c, 0xc021e01f,
                0xbff4675a, 0xbf3b2553, 0x3e606008, 0x3f00b5f6, 0xbe0920ab, 0xbf14a620, 0xbeb58b49,
                0x3b93b24f, 0xbdf02814, 0xba3f6144, 0x3f112249, 0x3f6ebab7, 0x3d23c931, 0x3fc84f2a,
                0xbf8f2583, 0x3f4fb228, 0x3e318ee1, 0x3f730472, 0xbe2d78c8, 0xbf9dbf77, 0x3d9856ba};
const Words kGradientGamma{
    0xbea3dffe, 0xbfa7b9af, 0xbf8e5002, 0xbf1d6b45, 0xbf00a05c, 0xbe518fae, 0x3f1ddd6e, 0x3d91101b,
    0x3ba38059, 0x3f40e756, 0xbf8df9fc, 0xc002a695, 0x3f14a94a, 0xbf0bd97c, 0xbeb8ef66, 0xbf882a27,
    0xbe2ae18c, 0xbe941bdd, 0x3f8df023, 0x3ea3cfab, 0x3ff22bcf, 0xbf789b8c, 0xbf820e52, 0xbe5963e0,
    0x3f9e5705, 0x3b872999, 0x3f83c041, 0xbf0b5341, 0x3edc32b4, 0xbe795ee9, 0xbdaac60a, 0x3e5e754d,
    0xbeb3cbf2, 0xbf30e5a5, 0x400b2477, 0x3e994d7d, 0xbf0d1fe7, 0xbee1a1e7, 0xbf1a4c60, 0xbf6f64c0,
    0xbfd0a206, 0xbea01f13, 0x3f59fe54, 0x3eb0afd8, 0x3f0b4178, 0xbe6dec77, 0xbf122ee3, 0xbe487ebd,
    0xbd4d4944, 0xbfac9bd4, 0xbf658888, 0xbf9d1aab, 0xbdd795b5, 0xbfd5ed3f, 0x3f8232de, 0xbfd74db3,
    0xc020d567, 0x3f1df981, 0x40231395, 0xbf27cfb0, 0x3f850444, 0x3f9a6512, 0x3f835f1e};
const Words kDx{0xbe82e975, 0x4033de68, 0xbff531ba, 0xbf29d375, 0x3f760847, 0xbc226c6d, 0xbd9caa17,
                0x3d11085d, 0x3d6a9ce6, 0xbd383138, 0xbf8b523b, 0xbfaeb004, 0x3ec80a96, 0x3e94e626,
                0x3e8d2759, 0x3dd8232f, 0xbeb23f16, 0x3ef2f06a, 0x3ee579b1, 0xbe2d09b7, 0xc01d953f,
                0x3ee25442, 0x3f7c5583, 0xbce7a131, 0x3fd32162, 0x3dbb220e, 0xbe7322dc, 0x3f482452,
                0xbe992e57, 0xbb6e1482, 0x3bf8ebf5, 0xbe55b356, 0xbe8b98b3, 0x3dd052a2, 0x40251400,
                0x3d96b07d, 0x3eaa32a9, 0xbe40f0d2, 0xbf9d825b, 0x3f81503a, 0xbf208136, 0x3f7eb250,
                0xbfe774cb, 0xbe5d6429, 0x3e5aeb73, 0xbd562e15, 0x3e2a8dd5, 0x3e42d337, 0x3dab11b0,
                0x3d878f29, 0x3e52d617, 0x3d99d804, 0xbbfd3634, 0xbfde37de, 0x3e11bc88, 0xc03f7f29,
                0x40569f98, 0x3f2b4d81, 0x3f1754d7, 0xbf2ff418, 0xbdf74258, 0xbfd507a3, 0x3e196e1f};
constexpr std::uint32_t kGivenMean = 0x3cdb74bd, kGivenRstd = 0x3f94efd9;

// The device's reciprocals are the rounded ones, as far as this row tells, but for that of 33,
// which is one unit below; all lanes have the rstd that it returned.
class FunctionsOfTheDevice final : public OwnFunctions {
 public:
  [[nodiscard]] bool offers(std::string_view) const override { return true; }
  [[nodiscard]] std::vector<float> values(std::string_view function,
                                          std::span<const float> arguments) override {
    std::vector<float> results;
    for (const float x : arguments) results.push_back(value(function, x));
    return results;
  }

 private:
  static float value(std::string_view function, float x) {
    if (function == "rsqrt") return std::bit_cast<float>(kRstd);
    if (function != "fast-recip") throw std::logic_error("no such function");
    return x == 33.0F ? std::bit_cast<float>(0x3cf83e0fU) : 1.0F / x;
  }
};

formats::Tensor tensor(const Words& words) {
  const std::vector<formats::Bits> bits(words.begin(), words.end());
  return formats::Tensor::from_bits(formats::kFp32, bits);
}

TensorSet outputs_of(const char* name, const TensorSet& inputs, const char* arithmetic) {
  Identified found;
  found.arithmetic = arithmetic;
  found.functions = std::make_shared<FunctionsOfTheDevice>();
  return modelling().refer(parse_case("layernorm", suite().axes, name), inputs, found).middle;
}

std::size_t equal_words(const Words& expected, const formats::Tensor& actual) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (actual.at(i) == expected[i]) ++equal;
  return equal;
}

std::size_t words_of_y(const char* arithmetic) {
  const TensorSet inputs{{"x", tensor(kX)}, {"gamma", tensor(kGamma)}, {"beta", tensor(kBeta)}};
  const TensorSet outputs =
      outputs_of("layernorm.forward.fp32.library.r1n33.eps1e-5.normal.s1", inputs, arithmetic);
  return equal_words({kMean}, outputs.at("mean")) == 1 ? equal_words(kY, outputs.at("y")) : 0;
}

TEST(LayernormOfAnH100, EachLaneNormalisesWithAMeanOfItsOwn) {
  EXPECT_EQ(33U, words_of_y("fp32.strided-32-halves.own-reciprocal.weighted-lanes.own-rsqrt-fused."
                            "fused"));
  EXPECT_EQ(30U, words_of_y("fp32.strided-32-halves.own-reciprocal.weighted.own-rsqrt-fused."
                            "fused"));
  EXPECT_EQ(0U, words_of_y("fp32.strided-32-halves.reciprocal.weighted-lanes.own-rsqrt-fused."
                           "fused"))
      << "the device's own reciprocals matter";
}

std::size_t words_of_dx(const char* way) {
  const TensorSet inputs{{"x", tensor(kGradientX)},
                         {"gamma", tensor(kGradientGamma)},
                         {"dy", tensor(kDy)},
                         {"mean", tensor({kGivenMean})},
                         {"rstd", tensor({kGivenRstd})}};
  const std::string arithmetic = std::string("dx:fp32.strided-32-halves.fma.reciprocal.") + way +
                                 "+weights:fp32.sequential.fma-rstd";
  const TensorSet outputs = outputs_of("layernorm.backward.fp32.library.r1n63.eps1e-5.normal.s1",
                                       inputs, arithmetic.c_str());
  return equal_words(kDx, outputs.at("dx"));
}

TEST(LayernormOfAnH100, GradientTakesTheWayOfTheVariance) {
  EXPECT_EQ(63U, words_of_dx("by-variance"));
  for (const char* other : {"by-variance-mean", "added", "added-mean", "joint", "scaled", "fused"})
    EXPECT_GT(63U, words_of_dx(other)) << other;
}

}  // namespace
}  // namespace halfmark::suites::layernorm
