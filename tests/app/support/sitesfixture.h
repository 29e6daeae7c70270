// SPDX-License-Identifier: MIT
// A window whose user has a site, with a real sshd behind it.
#pragma once

#include "app/shell/actions.h"
#include "core/base/environment.h"
#include "core/sites/sitebook.h"
#include "core/store/rows.h"
#include "tests/app/support/windowfixture.h"
#include "tests/remote/ssh/sshd.h"

#include <QAction>
#include <QLineEdit>
#include <QListView>
#include <QTest>

namespace ringside::test {

inline constexpr int kPatienceMs = 60'000; // an agent is brought there, on a busy machine a slow thing

/// In CI a machine that cannot have an sshd is a failure.
#define REQUIRE_SSHD(sshd)                                                                                             \
    if (!(sshd).problem().empty()) {                                                                                   \
        if (environment("RINGSIDE_CI"))                                                                                \
            QFAIL((sshd).problem().c_str());                                                                           \
        QSKIP((sshd).problem().c_str());                                                                               \
    }

/// The user has the site "alder", behind an sshd of its own, with a worker that is there already.
struct SitesFixture : WindowFixture
{
    using WindowFixture::WindowFixture;

    /// Connects with further lines for the host in the ssh configuration.
    void describeAlder(const Sshd& sshd, const std::string& lines = {}) { describe("alder", sshd, lines); }
    /// The same of a site of another name.
    void describe(const std::string& name, const Sshd& sshd, const std::string& lines);

    QAction& action(ActionId id) { return *window().actions()[id]; }
    QListView& list() { return *window().currentPage()->findChild<QListView*>(); }
    /// Goes to the page of sites, and there to this one.
    void choose(const QString& site);
    QString status();
    /// One of the measured experiment's runs that are done, as if it ran on this site.
    store::RunRow runOn(const std::string& site);
    /// Returns whether a visible label of the page holds the text, now or soon.
    bool showsNow(const QString& text);
    bool reads(const QString& text);
    /// Waits until the button that stops a test starts one again.
    bool testEnds();
    /// The dialog that opens; nullptr if none does.
    QDialog* dialog();
};

/// The field of a form that stands beside this label; nullptr: there is none.
QWidget* besides(const QDialog& dialog, const QString& label);
/// The same of a line of text.
QLineEdit* fieldOf(const QDialog& dialog, const QString& label);

Result<Site> siteOfUser(const char* name);
/// A job there that its scheduler has, without a run of its own, in this store; its id, or an empty one.
CampaignId submit(const fs::path& path, const std::string& site, const std::string& job);
/// Sets them of all campaigns, as the conductor does, whose thread has the database.
void setStages(const fs::path& path, const std::string& stage);

} // namespace ringside::test
