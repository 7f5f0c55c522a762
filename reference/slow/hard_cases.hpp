// SPDX-License-Identifier: Apache-2.0
// The hardest operands of fp32: of each function those whose exact value lies closest to a
// representable number or to the midpoint of two, as an exhaustive search over all fp32 operands
// found them. Left out are operands that repeat a significand in other binades, and all but six of
// the tiny ones, where e^x is x from 1 and sigmoid x/4 from 1/2, both representable. They include
// special cases that CORE-MATH (A. Sibidanov, P. Zimmermann et al.) and LLVM's libc name for exp2
// and log, such as exp2(0x3b429d37) and log(0x65d890d3). Those of sin and cos were looked for from
// 2^-8 on. Data only.
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
};

}  // namespace halfmark::slow
