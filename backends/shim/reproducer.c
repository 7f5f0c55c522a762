// @title@
// Rule: @rule@
// @build@ && ./a.out; exit code 1: results differ; 0: @otherwise@
#include <@driver.header@>
#include <@compiler.header@>
#include <stdio.h>
#include <string.h>
static const char* source =
@kernel@;
@operands@
int main(void) {
  @type.device@ device; @type.module@ module; @type.function@ kernel; @type.address@ at[9]; void* arguments[10];
  @type.program@ program; static char image[1 << 22], architecture[400]; int last = @last@; unsigned i;
  @driver.initialise@(0), @driver.device_of@(&device, 0);
  @select@
  @architecture@
  const char* options[] = {architecture, @options@};
  @compiler.create@(&program, source, "reproducer", 0, 0, 0);
  if (@compiler.compile@(program, sizeof options / sizeof *options, options) || @compiler.image@(program, image)) return puts("no build"), 2;
  if (@driver.module_load@(&module, image) || @driver.module_function@(&kernel, module, "@entry@")) return puts("no kernel"), 2;
  for (i = 0; i < sizeof operands / sizeof *operands; ++i)
    @driver.allocate@(&at[i], operands[i].size), @driver.copy_in@(at[i], (void*)operands[i].data, operands[i].size), arguments[i] = &at[i];
  @driver.allocate@(&at[i], sizeof got), arguments[i] = &at[i], arguments[i + 1] = &last;
  int e = @driver.launch@(kernel, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0);
  if (!e) e = @driver.copy_out@(&got, at[i], sizeof got);
  printf("expected %x, got %x, error %d\n", expected, got, e);
  return e ? 2 : @differs@;
}
