// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix, job script, TOML and checks of a draft, behind tabs.
#pragma once

#include "app/pages/editor/evaluation.h"
#include "app/pages/editor/matrixmodel.h"
#include "app/style/themecontroller.h"
#include "app/widgets/card.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;
class QTabBar;
class QTableView;

namespace ringside {

class ChecksList;

class PreviewTabs : public Card
{
    Q_OBJECT
public:
    explicit PreviewTabs(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const Evaluation& evaluation);
    /// The next (1) or previous (-1) tab, round.
    void step(int by);
    /// The text that is being edited here; nullptr while the focus is elsewhere.
    QPlainTextEdit* editedText() const;
    /// Brings the TOML to the front, with the focus in it.
    void showToml();
    /// Why the edited TOML was not taken over; empty: it was.
    void setTomlProblem(const QString& problem);

Q_SIGNALS:
    void tickedChanged(const ringside::Settings& combination, bool ticked);
    /// The user wants the form to follow the edited text.
    void tomlEdited(const QString& text);
    void fieldAsked(const QString& field);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeMatrix(const ThemeController& theme);
    QWidget* makeScript();
    QWidget* makeToml();
    QWidget* makeChecks(const ThemeController& theme);
    void fitMatrix();

    MatrixModel m_model;
    QTabBar* m_tabs;
    QStackedWidget* m_pages;
    QTableView* m_matrix = nullptr;
    QLabel* m_note;
    QPlainTextEdit* m_script;
    QPlainTextEdit* m_toml;
    QLabel* m_tomlProblem;
    QPushButton* m_apply;
    ChecksList* m_checks;
};

} // namespace ringside
