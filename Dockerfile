# One image for web, worker, scheduler and the one-shot preparation; docker-compose.yml says who runs what.
FROM python:3.12-slim

ENV PYTHONUNBUFFERED=1 \
    OMP_NUM_THREADS=1 \
    LECTERN_DATA=/data

# Recognises text in scans. Other languages: tesseract-ocr-ita, tesseract-ocr-tur, …
RUN apt-get update && apt-get install -y --no-install-recommends \
        tesseract-ocr tesseract-ocr-deu tesseract-ocr-fra tesseract-ocr-spa \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin lectern \
    && install --directory --owner lectern --mode 0750 /data

WORKDIR /app

# Dependencies first: they change less often than the code and take most of the time.
COPY pyproject.toml README.md LICENSE ./
RUN pip install --no-cache-dir .

COPY . .
# Else each process compiles them anew, and each document is read in one.
RUN python -m compileall -q .

USER lectern
VOLUME /data
EXPOSE 8000
CMD ["uvicorn", "config.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--workers", "2", "--timeout-worker-healthcheck", "60"]
