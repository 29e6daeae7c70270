// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/display.h"

#include "core/base/environment.h"
#include "core/base/sharedlibrary.h"

#include <chrono>
#include <future>
#include <thread>

namespace ringside {

namespace {

constexpr std::chrono::seconds kAnswerLimit{5}; // a display forwarded by ssh needs some round trips

constexpr const char* kWhatInstead = "Use “ringside-cli run FILE.toml”, or ssh -X.";

/// Connects and disconnects, by the library that Qt itself will use. True also if that library is not there to ask.
bool xServerAnswers()
{
    const auto xcb = SharedLibrary::open("libxcb.so.1");
    void* (*connect)(const char*, int*) = nullptr;
    int (*hasError)(void*) = nullptr;
    void (*disconnect)(void*) = nullptr;
    if (!xcb || !xcb->find("xcb_connect", connect) || !xcb->find("xcb_connection_has_error", hasError) ||
        !xcb->find("xcb_disconnect", disconnect))
        return true;
    void* connection = connect(nullptr, nullptr);
    const bool answers = hasError(connection) == 0;
    disconnect(connection);
    return answers;
}

bool xServerAnswersInTime()
{
    std::promise<bool> promise;
    auto answer = promise.get_future();
    std::thread([promise = std::move(promise)]() mutable { promise.set_value(xServerAnswers()); }).detach();
    return answer.wait_for(kAnswerLimit) == std::future_status::ready && answer.get();
}

} // namespace

Result<void> checkDisplay()
{
    if (environment("QT_QPA_PLATFORM") || environment("WAYLAND_DISPLAY"))
        return {};
    const char* display = environment("DISPLAY");
    if (!display)
        return fail(ErrorCode::unavailable, "no display found (DISPLAY and WAYLAND_DISPLAY are empty).", kWhatInstead);
    if (!xServerAnswersInTime())
        return fail(ErrorCode::unavailable, fmt::format("the display {} does not answer.", display), kWhatInstead);
    return {};
}

} // namespace ringside
