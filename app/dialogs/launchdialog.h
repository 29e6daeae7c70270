// SPDX-License-Identifier: GPL-3.0-or-later
// Explains a launch before anything is submitted: runs, jobs, node-hours, what waits there already, script.
#pragma once

#include "app/dialogs/dialogparts.h"
#include "app/session/preferences.h"
#include "app/session/session.h"

#include "core/spec/check.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace ringside {

/// `open()` it. There is nothing to launch before the preview is shown.
class LaunchDialog : public QuestionDialog
{
    Q_OBJECT
public:
    LaunchDialog(const ThemeController& theme, QWidget* parent, const QString& site, int runs);

    /// A paragraph, or something else, between the question and the script; in the order of the calls.
    void addAbove(const QString& paragraph);
    void addAbove(QWidget* widget);

    /// The gravest of what was found in the experiment, each with a way to its field; nothing if there is nothing.
    void showChecks(const std::vector<spec::Check>& checks);
    /// A tick for a notice on the desktop at the experiment's end; stored when it is launched.
    void offerToTell(Preferences& preferences, const std::string& experiment);
    /// The probable cost, from earlier runs: seconds times nodes.
    void expect(double nodeSeconds);
    /// Asks the site, since the submitted script names files there, which may need a sign-in or a worker's build; shows
    /// the answer. Once, after `open()` or before.
    void ask(Session& session, const LaunchRequest& request);
    void showPreview(const LaunchPreview& preview);

Q_SIGNALS:
    void launchWanted(const ringside::LaunchPreview& preview);
    /// Something is settled first, in place of launching.
    void fieldAsked(const QString& field);

private:
    void addNumbers(int runs);
    void addScript();
    void countWaiting(Session& session, const std::string& site);
    void showNodeHours();
    void showSite(const SiteStates::Steps& steps, const std::vector<SiteFact>& facts);
    /// Shows why there will be no preview.
    void showProblem(const Error& error);

    const ThemeController& m_theme;
    KeyNumber *m_runs, *m_jobs, *m_nodeHours;
    QVBoxLayout* m_above;
    QLabel* m_status;
    QLabel* m_queue;
    QLabel* m_waiting;
    QLabel* m_title;
    QPlainTextEdit* m_script;
    QPushButton* m_launch;
    LaunchPreview m_preview;
    double m_expected = 0;    ///< seconds times nodes; 0: not known
    bool m_isDecided = false; ///< there is a preview, or there will be none
    JobTracker m_waitingJob;  // last: it drops an answer that comes too late
};

} // namespace ringside
