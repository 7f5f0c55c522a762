// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/report_verbs/report_verbs.hpp"

#include <gtest/gtest.h>
