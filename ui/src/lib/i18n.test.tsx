import i18next from "i18next";
import { describe, expect, it } from "vitest";
import { applyLanguage } from "./i18n";

describe("the language that was chosen last", () => {
  it("stays where another one takes longer to load", async () => {
    i18next.removeResourceBundle("zh-CN", "common");
    const slow = applyLanguage("zh-CN");
    const last = applyLanguage("en");
    await Promise.all([slow, last]);
    expect([i18next.language, document.documentElement.lang]).toEqual(["en", "en"]);
    await applyLanguage("zh-CN");
    expect([i18next.t("common:cancel"), document.documentElement.lang]).toEqual(["取消", "zh-CN"]);
  });
});
