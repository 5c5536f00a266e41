/** For the `ref` of a dialog: it is open as long as it is drawn. */
export const showModal = (dialog: HTMLDialogElement | null): void => {
  if (dialog && !dialog.open) dialog.showModal()
}
