"""Opens the main notebook as a reader does: `cargo lab`, JupyterLab in Chromium, all cells; looks for tables, figures
and complaints, and leaves screenshots.

    python tests/browser.py FOLDER
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 300  # seconds in which all cells run


def browser():
    options = webdriver.ChromeOptions()
    for option in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1500,2200"):
        options.add_argument(option)
    options.binary_location = "/usr/bin/chromium"
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def command(driver, name, arguments=None):
    """Runs one of JupyterLab's own commands to its end."""
    script = """
        const [name, options, done] = arguments;
        window.jupyterapp.commands.execute(name, options).then(() => done(null), error => done(String(error)));
    """
    driver.set_script_timeout(PATIENCE)
    trouble = driver.execute_async_script(script, name, arguments or {})
    assert trouble is None, f"{name}: {trouble}"


def lab():
    """Starts `cargo lab` and waits for the address that it prints."""
    command = ["cargo", "lab", "--no-browser", "--port", "18888"]
    environment = dict(os.environ, LAB_EXPOSE_APP="1")
    server = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment)
    for line in server.stderr:
        print(line, end="")
        if address := re.search(r"http://127\.0\.0\.1:\S+token=\S+", line):
            return server, address.group()
    raise SystemExit("cargo lab printed no address")


def is_idle(driver):
    """Whether the notebook in front has a kernel that waits."""
    script = "return window.jupyterapp.shell.currentWidget.sessionContext?.session?.kernel?.status === 'idle';"
    return driver.execute_script(script)


def all_ran(driver):
    """Whether every code cell of the notebook has a number."""
    script = """
        const cells = window.jupyterapp.shell.currentWidget.content.model.cells;
        return Array.from(cells).every(cell => cell.type !== 'code' || cell.executionCount !== null);
    """
    return driver.execute_script(script)


def shows(driver, selector):
    return driver.find_elements(By.CSS_SELECTOR, f".jp-OutputArea-output {selector}")


def picture(driver, element, path):
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    time.sleep(1)
    driver.save_screenshot(str(path))


def look(driver, address, folder):
    driver.get(address)
    wait = WebDriverWait(driver, 60)
    wait.until(lambda d: d.find_elements(By.CSS_SELECTOR, ".jp-Notebook .jp-CodeCell"))
    wait.until(lambda d: "Rust (retrysim)" in d.find_element(By.CSS_SELECTOR, ".jp-Toolbar-kernelName").text)
    wait.until(is_idle)
    command(driver, "notebook:clear-all-cell-outputs")
    begin = time.monotonic()
    command(driver, "notebook:run-all-cells")
    WebDriverWait(driver, PATIENCE).until(lambda d: all_ran(d) and is_idle(d))
    tables, figures = shows(driver, "table"), shows(driver, "img")
    complaints = driver.find_elements(By.CSS_SELECTOR, "[data-mime-type='application/vnd.jupyter.stderr']")
    words = driver.find_element(By.CSS_SELECTOR, ".jp-Notebook").text
    print(f"{time.monotonic() - begin:.0f} s: {len(tables)} tables, {len(figures)} figures, {len(complaints)} complaints")
    picture(driver, tables[1], folder / "table_light.png")
    picture(driver, figures[0], folder / "figure_light.png")
    command(driver, "apputils:change-theme", {"theme": "JupyterLab Dark"})
    picture(driver, tables[1], folder / "table_dark.png")
    picture(driver, figures[0], folder / "figure_dark.png")
    command(driver, "apputils:change-theme", {"theme": "JupyterLab Light"})
    assert len(tables) >= 5 and len(figures) >= 5, "tables or figures are missing"
    assert not complaints, [complaint.text for complaint in complaints]
    assert "\x1b[" not in words and "u{1b}" not in words, "escape sequences are shown"


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    server, address = lab()
    try:
        driver = browser()
        try:
            look(driver, address, folder)
        finally:
            driver.quit()
    finally:
        server.terminate()
        server.wait(30)
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
