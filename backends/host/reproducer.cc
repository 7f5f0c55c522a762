// @title@
// Rule: @rule@
// @compiler@ -fno-strict-aliasing FILE && ./a.out; exit code 1: results differ; 0: @otherwise@
#include <stdio.h>
@code@
@operands@
struct Pointer {  // to whatever the kernel takes
  const void* volatile address;  // so that nothing is computed while this compiles
  template <typename T> operator T*() const { return (T*)address; }
};
int main() {
  @entry@(@pointers@, Pointer{&got}, @last@);
  printf("expected %x, got %x\n", expected, got);
  return @differs@;
}
