// @title@
// Rule: @rule@
// @blas.build@ && ./a.out; exit code 1: results differ; 0: @otherwise@
#include <@driver.header@>
#include <@blas.header@>
#include <stdio.h>
#include <string.h>
@tensors@
int main(void) {
  @type.device@ device; @type.blas@ handle; @type.address@ at[9]; unsigned i;
  const @scalars@ alpha = @alpha@, beta = @beta@;
  memset(@result@, 0xff, sizeof @result@);  // nothing of it may be left
  @prepare@
  @driver.initialise@(0), @driver.device_of@(&device, 0);
  @select@
  for (i = 0; i < sizeof tensors / sizeof *tensors; ++i)
    @driver.allocate@(&at[i], tensors[i].size), @driver.copy_in@(at[i], tensors[i].data, tensors[i].size);
  if (@blas.create@(&handle)) return puts("no library"), 2;
  @modes@
  int e = @blas.call@(handle, @first.operation@, @second.operation@, @m@, @n@, @k@, &alpha,
      (char*)at[@first@] + @first.bytes@, @first.type@, @first.ld@, @first.stride@,
      (char*)at[@second@] + @second.bytes@, @second.type@, @second.ld@, @second.stride@, &beta,
      @results@, @batch@, @compute@, @blas.algorithm@);
  if (!e) e = @driver.copy_out@(@result@, at[@d@], sizeof @result@);
  @result.type@ got = @result@[@index@];
  printf("expected %x, got %x, status %d\n", expected, got, e);
  return e ? 2 : @differs@;
}
