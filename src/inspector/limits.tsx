export const Limits = () => <p class="none">…</p>
