// SPDX-License-Identifier: MIT
#include "core/conductor/orders.h"

#include "core/base/clock.h"
#include "core/base/words.h"
#include "core/store/campaignstate.h"
#include "core/store/edits.h"
#include "core/store/ingest.h"
#include "core/store/queries.h"

namespace ringside {

namespace {

std::string remedyFor(Control::Kind kind)
{
    switch (kind) {
    case Control::Kind::hold:
        return Words::tr("There is nothing to hold.");
    case Control::Kind::proceed:
        return Words::tr("There is nothing to continue.");
    default:
        return Words::tr("There is nothing to end.");
    }
}

/// Adds the runs that have ended to `runs`.
Result<void> writeEnds(store::Database& db, const CampaignId& id, const std::vector<campaign::Action>& actions,
                       std::vector<RunId>& runs)
{
    std::vector<store::Arrival> changes;
    for (const campaign::Action& action : actions)
        if (const auto* run = std::get_if<campaign::SaveRun>(&action)) {
            changes.emplace_back(run->change);
            runs.push_back(run->change.run);
        }
    if (!changes.empty()) {
        TRY_ASSIGN(store::Ingest ingest, store::Ingest::create(db));
        TRY(ingest.drain(changes).map([](auto) {}));
    }
    for (const campaign::Action& action : actions)
        if (const auto* stage = std::get_if<campaign::SaveStage>(&action))
            TRY(store::setStage(db, id, stage->stage, stage->job));
    return {};
}

} // namespace

bool concerns(const ControlOrder& order, const std::string& experiment, const campaign::State& state)
{
    return order.control.kind == Control::Kind::cancelRun ? state.runs.contains(order.control.run)
                                                          : order.experiment.empty() || order.experiment == experiment;
}

Error nothingTo(Control::Kind kind)
{
    return {ErrorCode::notFound, Words::tr("No run is active or waiting."), remedyFor(kind)};
}

Result<void> writeDown(store::Database& db, const CampaignId& id, const std::vector<campaign::Action>& actions)
{
    std::vector<RunId> cancelled;
    for (const campaign::Action& action : actions) {
        if (const auto* hold = std::get_if<campaign::SaveHeld>(&action))
            TRY(store::setHeld(db, id, hold->held));
        if (std::holds_alternative<campaign::SaveCancelled>(action))
            TRY(store::setCancelled(db, id));
        if (const auto* one = std::get_if<campaign::SaveRunCancelled>(&action))
            cancelled.push_back(one->run);
    }
    return cancelled.empty() ? Result<void>() : store::setRunsCancelled(db, id, cancelled);
}

Result<Ordered> writeDown(store::Database& db, const std::string& site, const ControlOrder& order, Ends ends)
{
    Ordered ordered;
    TRY_ASSIGN(const std::vector<store::CampaignRow> unfinished, store::campaigns(db, true));
    for (const store::CampaignRow& row : unfinished) {
        if (row.site != site)
            continue;
        TRY_ASSIGN(campaign::State state, store::campaignState(db, row));
        if (!concerns(order, row.experiment, state))
            continue;
        const auto actions = step(state, campaign::Asked{order.control, wallNs()});
        TRY(writeDown(db, row.id, actions));
        ordered.experiments.insert(row.experiment);
        if (ends == Ends::written)
            TRY(writeEnds(db, row.id, actions, ordered.runs));
    }
    return ordered;
}

} // namespace ringside
