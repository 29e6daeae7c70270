// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/statusarea.h"

#include "app/session/session.h"
#include "app/shell/actions.h"
#include "app/shell/contactlook.h"
#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/window/messagelog.h"
#include "app/window/worktracker.h"

#include "core/spec/experiment.h"

#include <QStatusBar>

namespace ringside {

StatusArea::StatusArea(QStatusBar& bar, const PageContext& context, const WorkTracker& work, const MessageLog& log)
    : QObject(&bar)
    , m_bar(bar)
    , m_context(context)
    , m_work(work)
    , m_runs(new StatusEntry(context.theme))
    , m_bell(new StatusEntry(context.theme))
{
    bar.setSizeGripEnabled(false);
    bar.addWidget(m_runs);
    bar.addPermanentWidget(m_bell);
    connect(m_runs, &QToolButton::clicked, this, [this] { m_context.shell.go({.page = PageId::monitor}); });
    connect(m_bell, &QToolButton::clicked, context.actions[ActionId::messages], &QAction::trigger);
    connect(&context.session.sites(), &SiteStates::changed, this, &StatusArea::showSite);
    connect(&context.session.sites(), &SiteStates::forgotten, this, [this](const QString& site) {
        if (const auto entry = m_sites.extract(site); !entry.empty())
            entry.mapped()->deleteLater();
    });
    connect(&work, &WorkTracker::changed, this, &StatusArea::showWork);
    connect(&log, &MessageLog::unreadChanged, this, [this, &log] { showMessages(log); });
    showSite(QString::fromLatin1(spec::kLocalSite));
    showWork();
    showMessages(log);
}

void StatusArea::showSite(const QString& site)
{
    const SiteStates& sites = m_context.session.sites();
    const SiteStatus status = sites.statusOf(site);
    const StateLook look = ContactWords::look(status, sites.wasReached(site));
    const bool isWell = status.contact == SiteStatus::Contact::connected;
    const QString name = siteName(status.name), words = isWell ? toQt(status.text) : look.word;
    auto* entry = entryFor(site);
    entry->setState(look.icon, look.ink,
                    words.isEmpty() ? name : tr("%1 · %2", "site, what is known of it").arg(name, words));
    entry->setToolTip(isWell ? QString() : plainToolTip(toQt(status.text)));
}

StatusEntry* StatusArea::entryFor(const QString& site)
{
    auto& entry = m_sites[site];
    if (!entry) {
        entry = new StatusEntry(m_context.theme);
        m_bar.insertWidget(int(m_sites.size()) - 1, entry);
        connect(entry, &QToolButton::clicked, this,
                [this, site] { m_context.shell.go({.page = PageId::sites, .show = site}); });
    }
    return entry;
}

void StatusArea::showWork()
{
    const store::RunCounts& runs = m_work.unfinished();
    if (runs.unfinished() == 0 && m_work.isTrying())
        m_runs->setState(QStringLiteral("play"), Ink::running, tr("One run is tried"));
    else if (runs.unfinished() == 0)
        m_runs->setState(QStringLiteral("tick"), Ink::done, tr("Nothing is running"));
    else if (runs.held == runs.unfinished())
        m_runs->setState(QStringLiteral("pause"), Ink::queued, workText(runs));
    else
        m_runs->setState(QStringLiteral("play"), Ink::running, workText(runs));
}

void StatusArea::showMessages(const MessageLog& log)
{
    const int unread = log.unread(), all = log.rowCount();
    m_bell->setState(QStringLiteral("bell"), unread > 0 ? Ink::accent : Ink::text2,
                     unread > 0 ? tr("%n new message(s)", nullptr, unread)
                     : all > 0  ? tr("%n message(s)", nullptr, all)
                                : tr("No messages"));
}

} // namespace ringside
