export const Pets = () => <p class="none">…</p>
