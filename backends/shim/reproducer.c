// @title@
// Rule: @rule@
// @build@ && ./a.out; exit code 1: @says@; 0: @otherwise@
#include <@driver.header@>
#include <@compiler.header@>
#include <stdio.h>
#include <string.h>
#define TEXT(...) #__VA_ARGS__
static const char* source =@directives@ TEXT(
@kernel@);
@tensors@
int main(void) {
  @type.device@ device; @type.module@ module; @type.function@ kernel; @type.address@ at[@count@]; @type.program@ program; unsigned i; int e = 0;
  static char image[1 << 22], architecture[400];
  @driver.initialise@(0), @driver.device_of@(&device, 0); @select@
  @architecture@
  @compiler.create@(&program, source, "reproducer", 0, 0, 0);
  if (@compiler.compile@(program, @option_count@, (const char*[]){architecture, @options@}) ||
      @compiler.image@(program, image) || @driver.module_load@(&module, image)) return puts("no build"), 2;
@run@
}
