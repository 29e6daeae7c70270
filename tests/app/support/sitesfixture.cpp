// SPDX-License-Identifier: MIT
#include "tests/app/support/sitesfixture.h"

#include "app/pages/sites/sitemodel.h"
#include "core/store/edits.h"
#include "tests/app/support/measuredexperiment.h"
#include "tests/support/addcampaign.h"
#include "tests/support/built.h"

#include <QDialog>
#include <QLabel>
#include <SQLiteCpp/Database.h>

namespace ringside::test {

void SitesFixture::describe(const std::string& name, const Sshd& sshd, const std::string& lines)
{
    sshd.clientConfig(lines);
    Site site;
    site.name = name;
    site.host = "alder";
    site.sshConfig = sshd.file("client/.ssh/config");
    site.root = (folder() / (name == "alder" ? "there" : name)).string();
    site.scheduler = std::string(kNoScheduler);
    site.worker = testProgram("testworker");
    const auto saved = SiteBook::ofUser().and_then([&](const SiteBook& book) { return book.save(site); });
    QVERIFY2(saved.has_value(), saved ? "" : saved.error().text().c_str());
}

void SitesFixture::choose(const QString& site)
{
    go(PageId::sites, {}, site);
    QVERIFY(waitFor([&] { return list().currentIndex().data().toString() == site; }));
}

QString SitesFixture::status()
{
    return list().currentIndex().data(SiteModel::kStatusText).toString();
}

store::RunRow SitesFixture::runOn(const std::string& site)
{
    store::RunRow run = measuredRunAs(store(), RunState::running);
    run.site = site;
    return run;
}

bool SitesFixture::showsNow(const QString& text)
{
    return shown<QLabel>(*window().currentPage(), [&](const QLabel& label) {
               return label.text().contains(text) || label.toolTip().contains(text);
           }) != nullptr;
}

bool SitesFixture::reads(const QString& text)
{
    if (waitFor([&] { return showsNow(text); }, kPatienceMs))
        return true;
    qWarning("“%s” is not read; %s; %s", qPrintable(text), qPrintable(status()),
             openDialog(window()) ? "a dialog is open" : "no dialog is open");
    for (const QLabel* label : window().currentPage()->findChildren<QLabel*>())
        if (label->isVisible() && !label->text().isEmpty())
            qWarning("%s", qPrintable(label->text()));
    return false;
}

bool SitesFixture::testEnds()
{
    const QAction& test = action(ActionId::testSite);
    return waitFor([&] { return test.isEnabled() && test.iconText() != QStringLiteral("Stop test"); }, kPatienceMs);
}

QDialog* SitesFixture::dialog()
{
    QDialog* found = nullptr;
    waitFor([&] { return (found = openDialog(window())) != nullptr; }, kPatienceMs);
    return found;
}

QWidget* besides(const QDialog& dialog, const QString& label)
{
    auto* found = shown<QLabel>(dialog, [&](const QLabel& each) { return each.text() == label; });
    return found ? found->buddy() : nullptr;
}

QLineEdit* fieldOf(const QDialog& dialog, const QString& label)
{
    return qobject_cast<QLineEdit*>(besides(dialog, label));
}

Result<Site> siteOfUser(const char* name)
{
    return SiteBook::ofUser().and_then([&](const SiteBook& book) { return book.find(name); });
}

CampaignId submit(const fs::path& path, const std::string& site, const std::string& job)
{
    auto db = store::Database::openForWriting(path);
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.experiment = kMeasuredExperiment;
    plan.site = site;
    if (!db)
        return {};
    plan.store = db->id();
    const auto kept =
        test::addCampaign(*db, plan, {"slurm", "#!/bin/sh"})
            .and_then([&] { return store::setStage(*db, plan.campaign, campaign::Stage::submitting); })
            .and_then([&] { return store::setStage(*db, plan.campaign, campaign::Stage::submitted, job); });
    return kept ? plan.campaign : CampaignId();
}

void setStages(const fs::path& path, const std::string& stage)
{
    SQLite::Database db(path, SQLite::OPEN_READWRITE, kPatienceMs);
    db.exec("UPDATE campaigns SET stage = '" + stage + "'");
}

} // namespace ringside::test
