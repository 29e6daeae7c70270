// SPDX-License-Identifier: GPL-3.0-or-later
// The ways to another site: by its host's name, from the ssh configuration, the demo cluster. GUI thread.
#pragma once

#include "app/session/jobtracker.h"
#include "app/shell/shell.h"
#include "core/base/error.h"
#include "core/sites/site.h"

#include <QObject>
#include <QString>
#include <functional>
#include <vector>

class QDialog;

namespace ringside {

class SiteModel;
class TaskThread;

/// Topic of the remark that ~/.ssh/config names none (app/widgets/messagebar.h).
inline const QString kNoHostsTopic = QStringLiteral("no hosts");

class NewSites : public QObject
{
    Q_OBJECT
public:
    /// Adds all of them or none; while that fails a dialog stays and says why.
    using Add = std::function<Result<void>(const std::vector<Site>&)>;

    /// `page` owns this, and dialogs open over it. `sites`: those that are known. `files` reads the ssh configuration
    /// and ends before this.
    NewSites(const PageContext& context, QWidget* page, const SiteModel& sites, TaskThread& files, Add add);

    void describe();
    void chooseConfigured();
    void showDemo();
    void hideDemo();

Q_SIGNALS:
    void failed(const ringside::Error& error);
    void remarked(const ringside::Message& message);
    void demoClosed();

private:
    const PageContext& m_context;
    QWidget* m_page;
    const SiteModel& m_sites;
    TaskThread& m_files;
    const Add m_addAll;
    QDialog* m_demo = nullptr; ///< made when it is first wanted; hidden, what it started goes on
    JobTracker m_hostsJob;
};

} // namespace ringside
