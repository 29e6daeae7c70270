// SPDX-License-Identifier: GPL-3.0-or-later
// What a launch means, before anything is submitted: runs, time, script, checks.
#pragma once

#include "app/dialogs/dialogparts.h"
#include "app/pages/editor/evaluation.h"
#include "app/session/sitestates.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace ringside {

/// `open()` it. There is nothing to launch before the preview is shown.
class LaunchDialog : public QuestionDialog
{
    Q_OBJECT
public:
    /// A trial is one run, whatever is missing.
    LaunchDialog(const ThemeController& theme, QWidget* parent, const Evaluation& evaluation, bool isTrial);

    /// How far the site is with getting ready, and what was found there.
    void showSite(const SiteStates::Steps& steps, const std::vector<SiteFact>& facts);
    void showPreview(const LaunchPreview& preview);
    /// Why there will be no preview.
    void showProblem(const Error& error);

Q_SIGNALS:
    void launchWanted(const ringside::LaunchPreview& preview);
    /// A check is to be mended instead; the dialog has closed.
    void fieldAsked(const QString& field);

private:
    void addScript();

    QLabel* m_status;
    QLabel* m_queue;
    QLabel* m_title;
    QPlainTextEdit* m_script;
    QPushButton* m_launch;
    LaunchPreview m_preview;
    bool m_isDecided = false; ///< there is a preview, or there will be none
};

} // namespace ringside
