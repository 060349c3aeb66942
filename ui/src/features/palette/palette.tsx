export function Palette(_: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return null;
}
