export const Connect = () => <p class="none">…</p>
