// @title@
// Rule: @rule@
// cc -I PREFIX/include FILE -ldl && ./a.out PLUGIN.so; exit code 1: @says@; 0: @otherwise@
#include <dlfcn.h>
#include <halfmark/backend_abi.h>
#include <stdio.h>
#include <string.h>
#define TEXT(...) #__VA_ARGS__
static const char* source =@directives@ TEXT(
@kernel@);
@tensors@
int main(int argc, char** argv) {
@open@
  HmBuffer* at[@count@]; HmProgram* program; int e = 0; const HmDefine definitions[] = {@definition_list@{0, 0}};
  if (api->program_build(device, source, definitions, @definition_count@, &program)) return puts("no build"), 2;
@run@
}
