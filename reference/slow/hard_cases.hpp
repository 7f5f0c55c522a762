// SPDX-License-Identifier: Apache-2.0
// The hardest operands of fp32: for each function those whose exact value lies closest to a
// representable number or to a midpoint, found by exhaustive search over all fp32 operands. The
// list omits operands that repeat a significand in other binades, and all but six of the tiny ones,
// where e^x differs from 1 by about x and sigmoid from 1/2 by about x/4, and 1 and 1/2 are
// representable. It includes the special cases of exp2 and log that CORE-MATH (A. Sibidanov, P.
// Zimmermann et al.) and LLVM's libc name, such as exp2(0x3b429d37) and log(0x65d890d3). The search
// covered sin and cos from 2^-8 on; cbrt and erfc over all operands; the other rows below cos from
// 2^-14 (exp10, expm1 and log1p 2^-12, log10 2^-4) to 2^21 (tan), 2^15 (atan), 2^11 (log1p), 2^5
// (log10) or the end of the function; sinpi and cospi from 2^-7 to 2. Data only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace halfmark::slow {

struct HardCases {
  std::string_view function;
  std::array<std::uint32_t, 12> operands;
};

inline constexpr std::array kHardCases{
    HardCases{"exp",
              {0x33ffffff, 0x347ffffe, 0x34fffffc, 0x357ffff8, 0xb4800001, 0xb5000002, 0x3ab13d4f,
               0xc16912cd, 0x371fffce, 0xb7000020, 0xbb32cf64, 0xc236bd8c}},
    HardCases{"exp2",
              {0xb52d1f9a, 0xbcf3a937, 0x3b429d37, 0xb8d3d026, 0xbaec2b40, 0x3a07857c, 0xb6a477af,
               0xb50a7fae, 0x3c02a9ad, 0x3ea7097a, 0xbf2c7b43, 0x36879cf7}},
    HardCases{"log",
              {0x65d890d3, 0x4c5d65a5, 0x7a17f30a, 0x4d604ebe, 0x1e88452d, 0x41178feb, 0x1f116ab8,
               0x66a8c860, 0x3c413d3a, 0x500ffb03, 0x4d003f2c, 0x6f31a8ec}},
    HardCases{"log2",
              {0x3ea07ab9, 0x05914a90, 0x01c31c85, 0x3feddffd, 0x3d8d64de, 0x41d54996, 0x41ffc006,
               0x3f442160, 0x3ef07492, 0x40e485eb, 0x3f8cba39, 0x40207ab9}},
    HardCases{"rsqrt",
              {0x4055b7bd, 0x3fbdf8a8, 0x403a18e3, 0x3ff1ddca, 0x407f3509, 0x4009f038, 0x407ffffe,
               0x3fba2a39, 0x3fd2208f, 0x3fed3230, 0x3f800001, 0x400db4f7}},
    HardCases{"tanh",
              {0x4058e0a3, 0x3a7a8d33, 0x3ac37de2, 0x3e9964d0, 0x3cb7d5f3, 0x3d11300f, 0x4011c7e6,
               0x3d904170, 0x3eee0566, 0x405715ff, 0x3cd41b91, 0x40acb4d0}},
    HardCases{"erf",
              {0x3940ead6, 0x3f659229, 0x33a7f929, 0x39c0057d, 0x358e9d2d, 0x36aea466, 0x371697f0,
               0x37184b05, 0x052a320c, 0x349aa3d7, 0x38b89a63, 0x3c3c6be0}},
    HardCases{"sigmoid",
              {0x35000000, 0x35200000, 0x35400000, 0x35600000, 0x35f00000, 0x36000000, 0xb7000000,
               0xb7010000, 0xb7020000, 0xb7030000, 0xb7040000, 0xb7050000}},
    HardCases{"gelu",
              {0xb7b0a46f, 0x37b0a46f, 0xbcbdc3a5, 0x3cbdc3a5, 0xb8ca1be2, 0x38ca1be2, 0x3eada244,
               0xc0925885, 0xb8028e89, 0x38028e89, 0xbaf0e56e, 0x3af0e56e}},
    HardCases{"gelu_tanh",
              {0xb7b0a46f, 0xc0e5fa94, 0x37b0a46f, 0xb8028e89, 0x38028e89, 0xb34aa765, 0x334aa765,
               0xbbda2480, 0x3f414d8f, 0x3bda2480, 0xbb9377a9, 0x399a2f3c}},
    HardCases{"sin",
              {0x6f79be45, 0x50a3e87f, 0x437ce5f1, 0x4afdece4, 0x6a1976f1, 0x53b146a6, 0x65898498,
               0x73243f06, 0x46199998, 0x77584625, 0x523947f6, 0x4c2332e9}},
    HardCases{"cos",
              {0x6ff9be45, 0x5123e87f, 0x6115cb11, 0x59443c0a, 0x5f18b878, 0x7079be45, 0x55325019,
               0x51a3e87f, 0x43fce5f1, 0x7a4b1a27, 0x491a2430, 0x5aa4542c}},
    HardCases{"tan",
              {0x3f8a1f62, 0x408174dd, 0x453c5846, 0x3d46ad6d, 0x458355df, 0x3e19205e, 0x40e67f59,
               0x3a7a8d2f, 0x3f2aed4f, 0x451e0885, 0x3f8d5978, 0x45c27c13}},
    HardCases{"asin",
              {0x3f083a1a, 0x3f7741b6, 0x3f2ab445, 0x3de5fa1e, 0x3b5637dc, 0x3d07959c, 0x3d09bf86,
               0x39e89768, 0x3afa8d28, 0x3eb7f139, 0x3d17817c, 0x3d370db8}},
    HardCases{"acos",
              {0x39826222, 0xbc406ccd, 0xbb830047, 0xbca13ead, 0x3ca68279, 0x3c8a2f9b, 0xba9d5f75,
               0x3af67e7f, 0x3b7d281b, 0xbeebd043, 0xbe668cd1, 0x3a6a490f}},
    HardCases{"atan",
              {0x3d8d6b23, 0x3feefcfb, 0x45cc6129, 0x3ffe2ec1, 0x3ad637fa, 0x46d9fe3e, 0x3b7c1bc9,
               0x40357f1d, 0x3d46d55a, 0x3f49da86, 0x3a27ba3b, 0x3a7a8d34}},
    HardCases{"sinh",
              {0x3a1285ff, 0x3df67f5b, 0x3b36aa1f, 0x3b5637f0, 0x3f7df258, 0x42dd8514, 0x42a28a1b,
               0x3d09c4d8, 0x3ca0584b, 0x4195bc36, 0x3afa8d30, 0x41b7ee9a}},
    HardCases{"cosh",
              {0x3a6f7750, 0x3d609528, 0x3bbfffee, 0x3bd5775c, 0x3b0f1bbb, 0x3a87c3b6, 0x3b43f588,
               0x42dd8514, 0x42a28a1b, 0x3a3504f3, 0x4195bc36, 0x41b7ee9a}},
    HardCases{"exp10",
              {0xbac4c65c, 0x3d14d956, 0x417d7f60, 0x3c705a2d, 0xbd72dae6, 0xbf230886, 0x3c8371be,
               0x420b5f5d, 0xbaac4a50, 0xbc97c4e3, 0x3d781ef5, 0x4276752f}},
    HardCases{"expm1",
              {0x3dc252dd, 0x3a254e7a, 0xbb7b3b6c, 0xc0171d89, 0xc0ddf434, 0xbd203889, 0x42dd8514,
               0x42a28a1b, 0x40315b33, 0xbcf17532, 0xbed67f95, 0x4001b249}},
    HardCases{"log10",
              {0x41200000, 0x3e2e3c50, 0x3f5fde1b, 0x40d6b904, 0x3e4e72fb, 0x3f8b2be2, 0x3f5f54c2,
               0x3e11d9f8, 0x3ef15103, 0x3dc1ec57, 0x3e381471, 0x40aaf8b3}},
    HardCases{"log1p",
              {0x3efd81ad, 0x41078feb, 0xbb0ec8c4, 0x3ebe9143, 0x3ddbfec3, 0x41454e79, 0xbd1d20af,
               0xba800b50, 0x422a7fb2, 0x3f26c9ae, 0x436dd338, 0x40c8ce07}},
    HardCases{"cbrt",
              {0x400353b5, 0x40526132, 0x3fa7a35c, 0x4021b8e7, 0x3fa43237, 0x3f8d53bb, 0x3fce4d58,
               0x40fffffd, 0x400f7652, 0x40cac367, 0x3fbbb78d, 0x3faf1391}},
    HardCases{"erfc",
              {0x376c9f62, 0xbf659229, 0xbb6c9b37, 0xb4c683cc, 0xbc86e8ba, 0x37ca4803, 0x3ff28dc8,
               0xba4d1b2f, 0x400df51a, 0x3e05c13f, 0xba32a868, 0xbd406297}},
    HardCases{"sinpi",
              {0x3dfd7f58, 0x3f605015, 0x3d5b9c50, 0x3f72463b, 0x3ceeb990, 0x3d80c8a4, 0x3c042416,
               0x3c447c2d, 0x3eec42a6, 0x3f09dead, 0x3de02889, 0x3d6157be}},
    HardCases{"cospi",
              {0x3ec0a02a, 0x3f1fafeb, 0x3c3a80f1, 0x3ee48c76, 0x3f0db9c5, 0x3d59af4b, 0x3ef11467,
               0x3edfcdd7, 0x3c625b7c, 0x3db3021a, 0x3d1dead0, 0x3f762153}},
};

}  // namespace halfmark::slow
