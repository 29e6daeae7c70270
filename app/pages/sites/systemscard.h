// SPDX-License-Identifier: GPL-3.0-or-later
// The systems besides Ringside's own engine that a site has or could have: installed, tried and removed from here.
#pragma once

#include "app/pages/sites/installdialog.h"
#include "app/session/jobtracker.h"
#include "app/session/sitesystems.h"
#include "app/shell/shell.h"
#include "app/widgets/card.h"

#include "core/adapters/offer.h"
#include "core/enginecheck/enginecheck.h"
#include "core/wire/messages.h"

#include <map>
#include <optional>

class QGridLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace ringside {

class ElidedLabel;
class IconLabel;

class SystemsCard : public Card
{
    Q_OBJECT
public:
    explicit SystemsCard(const PageContext& context);

    /// `isUsable`: its description is right.
    void showSite(const QString& site, bool isUsable);
    /// These were removed there, but for what had to stay. Nothing is asked: the agent may be among them.
    void removed(const QString& site, const std::vector<wire::Item>& items, const wire::DeleteReply& reply);

Q_SIGNALS:
    /// The request made here failed, and why.
    void failed(const ringside::Error& error);

private:
    struct Row
    {
        IconLabel* icon;
        ElidedLabel* text;
        QPushButton *install, *check, *remove;
    };
    /// The work under way at a site; one thing at a time.
    struct Work
    {
        enum class Kind
        {
            install,
            check,
            remove
        };
        Kind kind;
        QString system; ///< its title
        std::string name;
        QString text;
        int percent = 0;
        bool isStopping = false;
    };

    void addRow(QGridLayout& grid, const adapters::EngineOffer& offer);
    void showAll();
    void showOffer(const Row& row, const adapters::EngineOffer& offer, bool mayAct);
    void showWork();
    void askToInstall(const std::string& name);
    void install(const std::string& name, const InstallSource& source);
    void progressed(const QString& site, const wire::BuildProgress& progress);
    void check(const std::string& name);
    void checked(const QString& site, const EngineCheckStep& step);
    void remove(const std::string& name);
    void stop();
    void begin(Work::Kind kind, const std::string& name, const QString& text);
    void ended(const QString& site, const std::optional<Error>& error);
    const adapters::Adapter* adapterOf(const std::string& name) const;

    const PageContext& m_context;
    SiteSystems m_systems;
    QString m_site;
    std::map<QString, Work> m_work;
    std::map<QString, QString> m_seen; ///< by the latest check of a site
    std::map<std::string, Row> m_rows;

    QWidget* m_progress;
    ElidedLabel* m_state;
    QProgressBar* m_bar;
    QPushButton* m_stop;
    QLabel* m_report;
    JobTracker m_job; ///< of the check under way; last: it drops an answer that comes too late
};

} // namespace ringside
