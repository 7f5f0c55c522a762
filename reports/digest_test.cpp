// SPDX-License-Identifier: Apache-2.0
#include "reports/digest.hpp"

#include <gtest/gtest.h>

#include "reports/scorecard.hpp"
#include "reports/scorecard_json.hpp"
#include "reports/testing/sample_record.hpp"

namespace halfmark::reports {
namespace {

using nlohmann::json;

// The same as coreutils prints for `printf "{}" | sha256sum`.
TEST(Digest, IsSha256OfTheCanonicalText) {
  EXPECT_EQ(canonical_text(json::object()), "{}");
  EXPECT_EQ(digest_of(json::object()),
            "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
}

TEST(Digest, CanonicalTextSortsKeysAndKeepsUtf8) {
  EXPECT_EQ(canonical_text(json::parse(R"({"b": [1, {"d": null, "c": "é\n"}], "a": true})")),
            "{\"a\":true,\"b\":[1,{\"c\":\"\xC3\xA9\\n\",\"d\":null}]}");
  EXPECT_EQ(canonical_text(json{{"a", "\xFF"}}), "{\"a\":\"\xEF\xBF\xBD\"}");
}

TEST(Digest, LeavesOutWhatMayDifferAndNothingElse) {
  const json card = to_json(tally(sample_record()));
  for (const auto& [key, value] : card.items()) {
    json changed = card;
    changed[key] = "something else";
    const bool ignored = key == "digest" || key == "environment" || key == "fp16_operators" ||
                         key == "roofs" || key == "throughput" || key == "times" ||
                         key == "training_step" || key == "true_fp16";
    EXPECT_EQ(digest_of(changed) == digest_of(card), ignored) << key;
  }
}

// Of the mark that depends on times, only the members that never change count; of the other marks,
// all count.
TEST(Digest, LeavesOutWhatTheTimedMarkSays) {
  const json card = to_json(tally(sample_record()));
  for (std::size_t i = 0; i < card.at("marks").size(); ++i) {
    for (const auto& [key, value] : card.at("marks").at(i).items()) {
      json changed = card;
      changed["marks"][i][key] = "something else";
      const bool ignored =
          card["marks"][i]["id"] == "TF16" && (key == "held" || key == "reasons" || key == "scope");
      EXPECT_EQ(digest_of(changed) == digest_of(card), ignored) << i << key;
    }
  }
}

TEST(Digest, ADeviceThatWasSlowerThisTimeHasTheSame) {
  RunRecord slower = fp16_record();
  for (ThroughputRun& run : slower.throughput) {
    if (run.formats.starts_with("fp16"))
      for (std::uint64_t& ns : run.samples_ns) ns *= 4;
  }
  const Scorecard a = tally(fp16_record()), b = tally(slower);
  EXPECT_NE(a.true_fp16.verdict, b.true_fp16.verdict);
  EXPECT_EQ(a.digest, b.digest);
}

TEST(Digest, SameAnswersAtOtherTimesAndPlacesGiveTheSameDigest) {
  RunRecord other = sample_record();
  other.environment = {{"host", "another"}};
  other.required_marks = {"H1"};
  for (suites::CaseResult& r : other.results) {
    r.execute_seconds *= 3;
    r.refer_seconds *= 5;
    r.device_ns += 17;
    r.process = 3;
    r.attempt = 2;
  }
  for (ThroughputRun& run : other.throughput) {
    for (std::uint64_t& ns : run.samples_ns) ns *= 2;
  }
  other.throughput.pop_back();
  const Scorecard a = tally(sample_record()), b = tally(other);
  EXPECT_EQ(a.digest, b.digest);
  json j_a = to_json(a), j_b = to_json(b);
  for (const std::string_view key : kNotInDigest) {
    j_a.erase(std::string(key));
    j_b.erase(std::string(key));
  }
  EXPECT_EQ(canonical_text(j_a), canonical_text(j_b));
  for (const char* timed : {"marks", "cases"}) {
    j_a.erase(timed);
    j_b.erase(timed);
  }
  EXPECT_EQ(print_json(j_a), print_json(j_b));
}

TEST(Digest, OtherBitsGiveAnotherDigest) {
  RunRecord other = sample_record();
  case_named(other, kAddCase).digest = "0000000000000000";
  EXPECT_NE(tally(sample_record()).digest, tally(other).digest);
}

}  // namespace
}  // namespace halfmark::reports
