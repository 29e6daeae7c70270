// SPDX-License-Identifier: MIT
// Enumerators of the schema and of the plain messages: the same numbers, checked here.
#pragma once

#include "core/wire/messages.capnp.h"
#include "core/wire/messages.h"

#include <cstdint>

namespace ringside::wire {

static_assert(static_cast<int>(schema::CampaignState::LOST) == static_cast<int>(CampaignState::lost));
static_assert(static_cast<int>(schema::FileKind::LOG) == static_cast<int>(FileKind::log));
static_assert(static_cast<int>(schema::ControlAction::CANCEL_RUN) == static_cast<int>(Control::Kind::cancelRun));
static_assert(static_cast<int>(schema::ItemKind::RUN) == static_cast<int>(ItemKind::run));
static_assert(static_cast<int>(schema::JobState::BOOT_FAIL) == static_cast<int>(JobState::bootFail));
static_assert(static_cast<int>(schema::ErrorCode::INTERNAL) == static_cast<int>(ErrorCode::internal));

template <class To, class From> To sameNumber(From value)
{
    return static_cast<To>(static_cast<std::uint16_t>(value));
}

} // namespace ringside::wire
