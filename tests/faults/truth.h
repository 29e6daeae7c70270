// SPDX-License-Identifier: MIT
// Checks of what holds after any fault: DESIGN section 3.
#pragma once

#include "core/store/queries.h"
#include "tests/faults/app.h"

#include <map>

namespace ringside::test {

/// Rows of all runs; empty before there is a store.
std::vector<store::RunRow> storedRuns(const App& app);
bool allDone(const App& app);

/// A run that was done once stays as it is.
class DoneRuns
{
public:
    /// Fails the test if one was begun again since the last look.
    void look(const App& app);

private:
    std::map<RunId, int> m_attempts; ///< by which it was done when that was first seen
};

/// Journals and store agree on every attempt, each run was done once, and each rank of it left all its samples.
void requireTrueStates(const App& app);
/// No program of ours is left on any host, and no job in the queue.
void requireNothingLeft(const DemoCluster& cluster);

} // namespace ringside::test
