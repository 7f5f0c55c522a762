// SPDX-License-Identifier: Apache-2.0
//
// What C cannot do to its caller: an exception, for the fixture's status.
#include <stdexcept>

extern "C" const char* hm_fixture_throw(void* context);
extern "C" const char* hm_fixture_throw(void*) {
  throw std::runtime_error("thrown by the fixture");
}
