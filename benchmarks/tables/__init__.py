"""Files of benchmarks.pdf_tables, made with two programs: reportlab and the print of Chromium."""
