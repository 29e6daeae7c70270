// SPDX-License-Identifier: MIT
// The pictures of the documentation: a window on what screenshots.sh has measured. No test.
//                                             usage: app_pictures DATA_FOLDER, which holds ringside.db
#include "app/shell/actions.h"
#include "tests/app/support/looks.h"
#include "tests/app/support/windowfixture.h"

#include <QAction>
#include <QApplication>
#include <fmt/format.h>

namespace ringside::test {

namespace {

const QString kPictured = QStringLiteral("plans-of-lenet");

/// A window on a copy, so that nothing of what was measured is changed; its pictures in one theme.
bool takePictures(const fs::path& data, Appearance appearance, const QString& suffix)
{
    WindowFixture fixture(appearance);
    std::error_code problem;
    fs::copy(data, fixture.folder(), fs::copy_options::recursive, problem);
    if (problem) {
        fmt::print(stderr, "{}: {}\n", data.string(), problem.message());
        return false;
    }
    fixture.show();
    fixture.go(PageId::monitor, kPictured);
    bool isWell = saveScreenshot(fixture.window(), QStringLiteral("pictures-monitor-") + suffix);
    for (const QString& show : {QStringLiteral("speedup"), QStringLiteral("phases")}) {
        fixture.go(PageId::compare, kPictured, show);
        isWell &= waitFor([&] { return fixture.window().actions()[ActionId::exportFigure]->isEnabled(); });
        settle();
        isWell &= saveScreenshot(fixture.window(), QStringLiteral("pictures-%1-%2").arg(show, suffix));
    }
    return isWell;
}

} // namespace

} // namespace ringside::test

int main(int argc, char** argv)
{
    if (argc != 2) {
        fmt::print(stderr, "usage: app_pictures DATA_FOLDER\n");
        return 2;
    }
    QApplication application(argc, argv);
    using ringside::Appearance;
    const bool isWell = ringside::test::takePictures(argv[1], Appearance::light, QStringLiteral("light")) &&
                        ringside::test::takePictures(argv[1], Appearance::dark, QStringLiteral("dark"));
    return isWell ? 0 : 1;
}
