// SPDX-License-Identifier: GPL-3.0-or-later
// All experiments of the database: find one, see how far it is, go on with it.
#pragma once

#include "app/models/experimentmodel.h"
#include "app/session/session.h"
#include "app/shell/page.h"

class QComboBox;
class QLineEdit;
class QTableView;

namespace ringside {

class DraftsButton;
class ElidedLabel;
class EmptyState;
class ExperimentDetails;

class ExperimentsPage : public Page
{
    Q_OBJECT
public:
    explicit ExperimentsPage(const PageContext& context);

    void activate(const Target& target) override;
    void deactivate() override;
    bool escape() override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QLayout* filterRow();
    void setUpTable();
    void bindActions();
    void takeExperiments();
    void apply(std::vector<store::ExperimentRow> rows);
    void showEmptyState();
    QAction* showArchived(QWidget& owner);
    void filterChanged();
    void showCount();
    bool leavesFilter(const QKeyEvent& key);
    void reveal(const QString& name);
    int rowOf(const QString& name) const;
    void select(const QString& name);
    void selectionChanged();
    void goTo(PageId page, const QString& show = {});
    void openMostUseful();
    void setStarred();
    void setArchived();
    void askDelete();
    void duplicate();
    std::string freeName(const std::string& name) const;
    void showMenu(const QPoint& position);
    void fitColumns();
    std::vector<store::ExperimentRow> selected() const;
    /// Makes this request for each of them, with its name and these arguments.
    template <class Function, class... Arguments>
    void ofEach(const std::vector<store::ExperimentRow>& rows, Function function, Arguments... arguments);

    ExperimentModel m_model;
    ExperimentFilter m_filter;
    DraftsButton* m_drafts;
    QTableView* m_table;
    QAction* m_clearFilter;
    EmptyState* m_nothing; ///< in the place of the rows, while the filter leaves none
    QLineEdit* m_text = nullptr;
    QComboBox* m_scope = nullptr;
    ElidedLabel* m_count = nullptr;
    ExperimentDetails* m_details;
    QString m_wanted; ///< to select once it is there
    QString m_chosen; ///< selected last, also while the filter hides it
    bool m_active = false;
    JobTracker m_sizeQuestion;
};

} // namespace ringside
