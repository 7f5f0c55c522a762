// SPDX-License-Identifier: Apache-2.0
// All elementary operations of the reference: IEEE 754-2019 in integers for every row of the format
// table, constexpr and stateless. Each operation's header states what it decides.
#pragma once

#include "reference/soft/add_multiply.hpp"  // add sub mul fma
#include "reference/soft/compare.hpp"      // minimum maximum minimum_number maximum_number eq lt le
#include "reference/soft/convert.hpp"      // convert from_int rint ldexp neg abs
#include "reference/soft/divide_sqrt.hpp"  // div sqrt
