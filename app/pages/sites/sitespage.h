// SPDX-License-Identifier: GPL-3.0-or-later
// The sites where experiments can run: the list, and the chosen site's connection test and contents.
#pragma once

#include "app/pages/sites/busysites.h"
#include "app/pages/sites/sitemodel.h"
#include "app/session/background.h"
#include "app/session/taskthread.h"
#include "app/shell/page.h"

#include "core/wire/messages.h"

#include <QSet>
#include <functional>

class QListView;

namespace ringside {

class AddButton;
class CalibrationCard;
class ElidedLabel;
class FoundCard;
class NewSites;
class SiteStates;
class StepsCard;
class SystemsCard;

class SitesPage : public Page
{
    Q_OBJECT
public:
    explicit SitesPage(const PageContext& context);

    void activate(const Target& target) override;

private:
    QWidget* listCard();
    QWidget* detail();
    void bindActions();
    void refresh();
    /// Fails with busy where campaigns have not ended, as far as is known here.
    Result<void> requireIdle(const std::string& site) const;
    void whenIdle(const std::string& site, const std::function<void()>& act);
    void apply(std::vector<SiteBook::Entry> sites);
    void showChosen();
    void askWhenHeard();
    void showState();
    void showRefusal();
    QString remarkOnFacts() const;
    Result<void> addAll(const std::vector<Site>& sites);
    void showDemo();
    void edit();
    void describe(const Site& shown, const Site& there);
    void replace(const Site& before, const Site& site);
    void askRemove();
    void remove(const QString& name);
    void test(const QString& name, bool computeNode = false);
    void testEnded(const QString& name, const Result<void>& done);
    void stopTest();
    void showTestAction();
    void askNode();
    void disconnectSite();
    void cleanUp();
    void removeInstalled(const QString& name, const std::vector<wire::Item>& items);
    void move(const Site& before, const Site& site);
    /// Checks a description, as far as is possible here.
    Result<void> check(const Site& site, const Site& before) const;
    /// Writes the user's sites aside, then reads them again; an error is shown.
    void change(const std::function<Result<void>(const SiteBook&)>& work, const std::function<void()>& then = {},
                const std::function<void()>& otherwise = {});
    void forget(const QString& name);
    SiteStates& states() const;
    QString chosen() const;
    const SiteBook::Entry* chosenSite() const;

    SiteModel m_model;
    AddButton* m_add;
    NewSites* m_new;
    QListView* m_list;
    ElidedLabel* m_name;
    ElidedLabel* m_description;
    StepsCard* m_steps;
    FoundCard* m_found;
    CalibrationCard* m_calibration;
    SystemsCard* m_systems;
    QString m_refused;          ///< whose refusal is shown
    QString m_wanted;           ///< to select once it is there
    QSet<QString> m_testing;    ///< whose tests are under way
    QSet<QString> m_stopping;   ///< those that were asked to end
    QSet<QString> m_nodeWanted; ///< a node is asked once the test under way has ended
    QSet<QString> m_listing;    ///< what is installed there is being asked
    BusySites m_busy;
    std::optional<std::int64_t> m_heard; ///< when the chosen site's runs last reported; wall clock, ns
    JobTracker m_job, m_heardJob;
    TaskThread m_files; // last: it calls back
};

} // namespace ringside
