// SPDX-License-Identifier: Apache-2.0
//
// What the sanitizers must know when real drivers run in the same process. Linked into tests that
// open devices; does nothing in a build without sanitizers. Suppresses nothing of ours.

// NOLINTBEGIN(readability-identifier-naming): the sanitizers' own names
extern "C" const char* __asan_default_options();
extern "C" const char* __lsan_default_suppressions();

// A refused allocation is what one test asks for; by default it would end the process.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

// Drivers keep what they compiled until the process ends.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libRusticlOpenCL\nleak:libpocl\nleak:liboclgrind\n";
}
// NOLINTEND(readability-identifier-naming)
