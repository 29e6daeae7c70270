// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the aggregation plans that an experiment compares: built-in ones with explanations and sources, and plans of
// one's own, composed here.
#pragma once

#include "app/dialogs/dialogparts.h"
#include "app/drafts/draft.h"
#include "core/spec/validate.h"

class QLabel;
class QListWidget;
class QStackedWidget;

namespace ringside {

class PlanComposer;

/// `open()` it.
class PlansDialog : public QuestionDialog
{
    Q_OBJECT
public:
    PlansDialog(const ThemeController& theme, QWidget* parent, const PlanChoice& choice, const spec::SiteLimits& site);
    ~PlansDialog() override;

Q_SIGNALS:
    void chosen(const ringside::PlanChoice& choice);

private:
    void addList();
    void addPages();
    void addButtons();
    void addItem(const AggregationPlan& plan, bool isOwn, bool ticked);
    QWidget* makeDetails();
    void showPlan();
    void showBuiltIn(const AggregationPlan& plan);
    void compose();
    void takeComposed();
    void removeOwn();
    void refresh();
    bool isTaken(const std::string& name) const;
    PlanChoice choice() const;
    /// The first ticked or own plan that cannot be used, and why.
    QString problem() const;

    const spec::SiteLimits m_site;
    QListWidget* m_list;
    QStackedWidget* m_pages;
    QLabel* m_name;
    QLabel* m_does;
    QLabel* m_sources;
    QLabel* m_remark;
    PlanComposer* m_composer;
    QLabel* m_problem;
    QPushButton* m_remove = nullptr;
    QPushButton* m_use = nullptr;
};

} // namespace ringside
