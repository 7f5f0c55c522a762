// @title@
// Rule: @rule@
// cc -I PREFIX/include FILE -ldl && ./a.out PLUGIN.so; exit code 1: results differ; 0: @otherwise@
#include <dlfcn.h>
#include <halfmark/backend_abi.h>
#include <stdio.h>
#include <string.h>
static const char* source =
@kernel@;
@operands@
int main(int argc, char** argv) {
@open@
  HmBuffer* at[9]; HmProgram* program; HmArgument arguments[9]; const HmGrid one = {{1, 1, 1}, {1, 1, 1}};
  if (api->program_build(device, source, 0, 0, &program)) return puts("no build"), 2;
  for (i = 0; i < sizeof operands / sizeof *operands; ++i) {
    api->buffer_create(device, operands[i].size, &at[i]), api->buffer_write(at[i], 0, operands[i].data, operands[i].size);
    arguments[i] = (HmArgument){HM_ARGUMENT_BUFFER, 0, {.buffer = at[i]}};
  }
  api->buffer_create(device, sizeof got, &at[i]), arguments[i] = (HmArgument){HM_ARGUMENT_BUFFER, 0, {.buffer = at[i]}};
  arguments[i + 1] = (HmArgument){HM_ARGUMENT_INT32, 0, {.int32 = @last@}};
  int e = api->program_launch(program, "@entry@", &one, arguments, i + 2, &elapsed_ns);
  if (!e) e = api->buffer_read(at[i], 0, &got, sizeof got);
  printf("expected %x, got %x, error %d\n", expected, got, e);
  return e ? 2 : @differs@;
}
