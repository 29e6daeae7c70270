// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix, job script, TOML and checks of a draft, behind tabs.
#pragma once

#include "app/pages/editor/evaluation.h"
#include "app/pages/editor/matrixmodel.h"
#include "app/style/themecontroller.h"
#include "app/widgets/card.h"

class QLabel;
class QPlainTextEdit;
class QStackedWidget;
class QTabBar;
class QTableView;

namespace ringside {

class ChecksList;
class TomlTab;

class PreviewTabs : public Card
{
    Q_OBJECT
public:
    explicit PreviewTabs(const ThemeController& theme);

    /// `draft` is what the form holds by now.
    void show(const Evaluation& evaluation, const Draft& draft);
    TomlTab& toml() { return *m_toml; }
    /// The next (1) or previous (-1) tab, round.
    void step(int by);
    /// The text that is being edited here; nullptr while the focus is elsewhere.
    QPlainTextEdit* editedText() const;
    /// Brings the TOML to the front, with the focus in it: at what is wrong, if anything is.
    void showToml();

Q_SIGNALS:
    /// As MatrixModel says.
    void tickedChanged(const ringside::Settings& cell, bool ticked, const std::vector<ringside::Settings>& others);
    void tomlEdited(const QString& text);
    void tomlDiscarded();
    void fieldAsked(const QString& field);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeMatrix(const ThemeController& theme);
    QWidget* makeScript();
    void fitMatrix();

    MatrixModel m_model;
    QTabBar* m_tabs;
    QStackedWidget* m_pages;
    QTableView* m_matrix = nullptr;
    QLabel* m_note;
    QPlainTextEdit* m_script;
    TomlTab* m_toml;
    ChecksList* m_checks;
};

} // namespace ringside
