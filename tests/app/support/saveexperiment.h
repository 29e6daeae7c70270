// SPDX-License-Identifier: MIT
#pragma once

#include "app/session/session.h"

#include <QTest>

namespace ringside::test {

/// By the session; blocks until the request has been completed, or for a minute.
inline Result<void> save(Session& session, const spec::Experiment& experiment)
{
    std::optional<Result<void>> saved;
    session.request(&session, calling(&Conductor::saveExperiment, experiment),
                    [&](const Result<void>& result) { saved = result; });
    (void)QTest::qWaitFor([&] { return saved.has_value(); }, 60'000);
    return saved.value_or(fail(ErrorCode::timeout, "It was not saved in time."));
}

} // namespace ringside::test
