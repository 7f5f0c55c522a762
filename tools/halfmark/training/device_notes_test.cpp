// SPDX-License-Identifier: Apache-2.0
// What is read from published cards, and which operators an entry concerns.
#include "tools/halfmark/training/device_notes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "suites/core/case/errors.hpp"

namespace halfmark::tools {
namespace {

const std::filesystem::path kPublished = HM_PUBLISHED;

std::vector<DeviceNote> published(const char* card) {
  return read_device_notes(kPublished / card / "scorecard.json");
}

std::vector<DeviceNote> those_that_concern(const std::vector<DeviceNote>& notes,
                                           const OperatorUse& use) {
  std::vector<DeviceNote> list;
  std::copy_if(notes.begin(), notes.end(), std::back_inserter(list),
               [&](const DeviceNote& note) { return concerns(note, use); });
  return list;
}

// A driver that computes fp16 in fp32, and whose sums in fp16 are wrong.
TEST(DeviceNotes, OfADriverThatEmulatesFp16) {
  const std::vector<DeviceNote> notes = published("intel-opencl-2026.2.0");
  const auto adds = those_that_concern(notes, {.name = "add", .format = "fp16"});
  ASSERT_EQ(1u, adds.size());
  EXPECT_EQ(NoteKind::kEmulated, adds[0].kind);
  EXPECT_TRUE(adds[0].what.starts_with("emulated at w")) << adds[0].what;  // the fastest width
  const auto narrow =
      those_that_concern(notes, {.name = "linear", .format = "fp16", .accumulator = "fp16"});
  const auto wrong = std::count_if(narrow.begin(), narrow.end(), [](const DeviceNote& note) {
    return note.kind == NoteKind::kViolation;
  });
  EXPECT_EQ(6, wrong);
  const auto timed = std::find_if(narrow.begin(), narrow.end(), [](const DeviceNote& note) {
    return note.kind == NoteKind::kEmulated;
  });
  ASSERT_NE(narrow.end(), timed);
  EXPECT_EQ((Extents{{'m', 32}, {'n', 32}, {'k', 4096}}), timed->extents);
  EXPECT_TRUE(those_that_concern(notes, {.name = "linear", .format = "fp16", .accumulator = "fp32"})
                  .empty());
}

// A library with deviations in conversions to bf16 and in those to fp16.
TEST(DeviceNotes, OfConversionsAreAboutTheirTarget) {
  const std::vector<DeviceNote> notes = published("onednn-2.6.3");
  OperatorUse cast{.name = "to", .format = "fp32", .result = "bf16"};
  EXPECT_EQ(7u, those_that_concern(notes, cast).size());
  cast.result = "fp16";
  EXPECT_EQ(3u, those_that_concern(notes, cast).size());
  cast.format = "fp64";
  EXPECT_EQ(0u, those_that_concern(notes, cast).size());
}

TEST(DeviceNotes, OfABackwardOperatorConcernItsForwardOne) {
  const DeviceNote gelu{.suite = "activation", .operation = "gelu", .format = "fp16"};
  EXPECT_TRUE(concerns(gelu, {.name = "gelu", .format = "fp16"}));
  EXPECT_FALSE(concerns(gelu, {.name = "relu", .format = "fp16"}));
  EXPECT_FALSE(concerns(gelu, {.name = "gelu", .format = "bf16"}));
  EXPECT_TRUE(concerns(gelu, {.name = "gelu", .format = "fp32", .operands = "fp16"}));
  EXPECT_FALSE(concerns(gelu, {.name = "conv2d", .format = "fp16"})) << "no suite asserts it";
}

// A case of another version, with an axis that this one does not know.
TEST(DeviceNotes, OfAnUnknownCaseConcernTheWholeSuite) {
  reports::Scorecard card;
  card.findings.emplace_back();
  card.findings[0].id = "F001";
  card.findings[0].result.name = "activation.gelu.fp16.library.tomorrow.n64.all.s1";
  const std::vector<DeviceNote> notes = notes_of(card);
  ASSERT_EQ(1u, notes.size());
  EXPECT_TRUE(concerns(notes[0], {.name = "gelu", .format = "fp16"}));
  EXPECT_TRUE(concerns(notes[0], {.name = "relu", .format = "fp32"}));
  EXPECT_FALSE(concerns(notes[0], {.name = "softmax", .format = "fp16"}));
}

reports::Fp16Operator product(std::string kind, std::string shape) {
  reports::Fp16Operator made;
  made.operation = "gemm";
  made.formats = "fp16.acc-fp32.out-fp16";
  made.kind = std::move(kind);
  made.shape = std::move(shape);
  return made;
}

// Of the shapes at which the product was timed, those with a decided verdict speak for others.
TEST(DeviceNotes, OfAnUndecidedVerdictThereAreNone) {
  reports::Scorecard card;
  card.fp16_operators = {
      product("undecided", "nn.m64n64k64.plain"), product("emulated", "nn.m128n128k128.plain"),
      product("disputed", "nn.m256n256k256.plain"), product("native", "nn.m512n512k512.plain"),
      product("bf16-substituted", "nn.m1024n1024k1024.plain")};
  const std::vector<DeviceNote> notes = notes_of(card);
  ASSERT_EQ(3u, notes.size());
  EXPECT_EQ(NoteKind::kEmulated, notes[0].kind);
  EXPECT_EQ((Extents{{'m', 128}, {'n', 128}, {'k', 128}}), notes[0].extents);
  EXPECT_EQ(NoteKind::kNative, notes[1].kind);
  EXPECT_EQ(NoteKind::kEmulated, notes[2].kind);
}

TEST(DeviceNotes, NeedACard) {
  EXPECT_THROW(static_cast<void>(read_device_notes(kPublished / "absent.json")),
               suites::UsageError);
  EXPECT_THROW(static_cast<void>(read_device_notes(kPublished / "README.md")), suites::UsageError);
}

TEST(ExtentsIn, ReadsTokensOfCases) {
  EXPECT_EQ((Extents{{'m', 33}, {'n', 65}, {'k', 129}}), extents_in("m33n65k129"));
  EXPECT_EQ(Extents{}, extents_in("plain"));
  EXPECT_EQ(Extents{}, extents_in("m33n"));
  EXPECT_EQ(Extents{}, extents_in(""));
}

TEST(Distance, IsZeroForEqualShapes) {
  EXPECT_EQ(0, distance(extents_in("m33n65"), extents_in("m33n65")));
  EXPECT_EQ(2, distance(extents_in("m32n64"), extents_in("m64n32")));
}

}  // namespace
}  // namespace halfmark::tools
