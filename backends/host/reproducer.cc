// @title@
// Rule: @rule@
// @compiler@ -fno-strict-aliasing FILE -pthread && ./a.out; exit code 1: @says@; 0: @otherwise@
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static thread_local int lid[3]; static int gid[3]; static pthread_barrier_t barrier;
[[maybe_unused]] static const int group[] = {@group@}, groups[] = {@groups@};
@code@
@tensors@
// To whatever the kernel takes; nothing is computed while this compiles.
struct Pointer { void* volatile address; template <typename T> operator T*() const { return (T*)address; } };
static void* item(void* number) {
  const int n = int(size_t(number)); lid[0] = n % group[0], lid[1] = n / group[0] % group[1], lid[2] = n / group[0] / group[1];
  return @launch@, nullptr;
}
int main() {
  pthread_t threads[@group_items@]; unsigned i; int e = pthread_barrier_init(&barrier, nullptr, @group_items@);
@run@
}
