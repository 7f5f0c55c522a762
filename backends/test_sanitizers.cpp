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
  return "leak:libRusticlOpenCL\nleak:libMesaOpenCL\nleak:pipe_\nleak:libpocl\nleak:liboclgrind\n";
}

// What a driver lost in a library of its own and closed again has no name when the process ends, so
// that nothing would suppress it: libraries stay.
#if defined(__SANITIZE_ADDRESS__)
#define HALFMARK_KEEPS_LIBRARIES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HALFMARK_KEEPS_LIBRARIES 1
#endif
#endif
#ifdef HALFMARK_KEEPS_LIBRARIES
extern "C" int dlclose(void*);
extern "C" int dlclose(void*) { return 0; }
#endif
// NOLINTEND(readability-identifier-naming)
