// SPDX-License-Identifier: Apache-2.0
// Operations in one format as rows, each with its naive twin, for tests that iterate over all
// of them.
#pragma once

#include <array>

#include "reference/slow/slow.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::slow {

struct Unary {
  using Function = Result (*)(const Format&, Bits, const Environment&);
  const char* name;
  Function twin;
  Function soft;
};

struct Binary {
  using Function = Result (*)(const Format&, Bits, Bits, const Environment&);
  const char* name;
  Function twin;
  Function soft;
};

inline constexpr std::array kUnary{
    Unary{"sqrt", slow::sqrt, soft::sqrt},
    Unary{"rint", slow::rint, soft::rint},
};

inline constexpr std::array kBinary{
    Binary{"add", slow::add, soft::add},
    Binary{"sub", slow::sub, soft::sub},
    Binary{"mul",
           [](const Format& f, Bits a, Bits b, const Environment& env) {
             return slow::mul(f, a, b, f, env);
           },
           soft::mul},
    Binary{"div", slow::div, soft::div},
    Binary{"minimum", slow::minimum, soft::minimum},
    Binary{"maximum", slow::maximum, soft::maximum},
    Binary{"minimum_number", slow::minimum_number, soft::minimum_number},
    Binary{"maximum_number", slow::maximum_number, soft::maximum_number},
    Binary{"eq", slow::eq, soft::eq},
    Binary{"lt", slow::lt, soft::lt},
    Binary{"le", slow::le, soft::le},
};

}  // namespace halfmark::slow
