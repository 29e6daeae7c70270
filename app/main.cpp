// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline.h"
#include "app/display.h"
#include "app/pages/pages.h"
#include "core/adapters/adapterbook.h"
#include "core/base/child.h"

#include <QApplication>
#include <cstdio>

namespace {

constexpr int kUnavailable = 69; // EX_UNAVAILABLE, as in ringside-cli

} // namespace

int main(int argc, char** argv)
{
    ringside::heedEndsOfChildren();
    auto [options, exitCode] = ringside::readCommandLine(argc, argv);
    if (exitCode)
        return *exitCode;
    if (const auto display = ringside::checkDisplay(); !display) {
        std::fprintf(stderr, "ringside: %s\n", display.error().text().c_str());
        return kUnavailable;
    }
    ringside::adapters::usersAdapters();
    QApplication qt(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("ringside"));
    QCoreApplication::setApplicationName(QStringLiteral("ringside"));
    QCoreApplication::setApplicationVersion(QStringLiteral(RINGSIDE_VERSION));
    ringside::Application application(qt, std::move(options), ringside::allPages);
    application.start();
    return QApplication::exec();
}
