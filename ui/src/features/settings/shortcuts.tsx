import { ShortcutList } from "@/components/shortcut-list";
import { Box, Section, SettingArea } from "./section";

/** All shortcuts of the window. */
export function Shortcuts() {
  return (
    <Section id="shortcuts">
      <Box>
        <SettingArea setting="shortcuts" className="px-4 py-3">
          <ShortcutList />
        </SettingArea>
      </Box>
    </Section>
  );
}
