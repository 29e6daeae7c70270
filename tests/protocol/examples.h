// SPDX-License-Identifier: MIT
// The values that the golden files hold. Frozen with them: a new format gets examples of its own.
#pragma once

#include "core/protocol/facts.h"
#include "core/protocol/journal.h"
#include "core/protocol/plan.h"
#include "core/protocol/spool.h"

#include <vector>

namespace ringside::test {

SpoolHeader exampleHeader();
/// One of every type; the second block begins before the Heartbeat.
std::vector<Record> exampleRecords();
/// Records of a rank on a host whose clock is five minutes ahead.
std::vector<Record> exampleClockRecords();
/// Records of a calibration, with the measurements before the first iteration and after the last.
std::vector<Record> exampleCanaryRecords();
/// With the foreign load of the rank's own cores.
std::vector<Record> exampleCoresRecords();
std::vector<Record> exampleOwnCoresRecords();
/// Records of a rank that uses a GPU.
std::vector<Record> exampleGpuRecords();
/// Samples of a rank that reports how it stands to the others.
std::vector<Record> exampleCommunicationRecords();
/// Samples of a rank that reports only some of the phases at first.
std::vector<Record> exampleToldRecords();
/// Samples of a program that reports several iterations, and ranks, at a time.
std::vector<Record> exampleIntervalRecords();
/// With the times of layers, one of which the iteration did not pass.
std::vector<Record> exampleLayerRecords();
std::string exampleSpool(const std::vector<Record>& records = exampleRecords());

CampaignPlan examplePlan();
/// The same on several nodes: with what was added later.
CampaignPlan exampleNodesPlan();
CampaignPlan exampleAttemptsPlan();
/// Plans whose parts format 1 got names for later: its first readers refuse them.
CampaignPlan examplePartsPlan();
/// Plans that its first readers would take for others: format 2.
CampaignPlan exampleCompressedPlan();
/// A system in Ringside's place, with all that it may say: format 4.
CampaignPlan exampleSystemPlan();
/// A system one of whose processes is several ranks: format 5.
CampaignPlan exampleSeveralRanksPlan();
Facts exampleFacts();
/// Facts of a calibration run on two nodes.
Facts exampleCalibrationFacts();
/// Facts of a calibration of GPUs, with everything in which it can differ.
Facts exampleGpuCalibrationFacts();
/// The same with what was added later.
Facts exampleLayerFacts();
/// One of every kind.
/// As a version before codes wrote its reasons, and the same with codes.
std::vector<JournalEvent> exampleEvents();
std::vector<JournalEvent> exampleReasonedEvents();
/// A journal of the latter.
std::string exampleJournal();

Sample sampleNumber(std::uint32_t seq);

} // namespace ringside::test
