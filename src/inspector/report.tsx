export const ReportView = () => <p class="none">…</p>
